"""Pictures of mechanisms and diagrams of their motion, with matplotlib, which is imported only when one is made."""

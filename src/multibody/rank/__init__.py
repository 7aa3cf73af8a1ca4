"""Which equations depend on others, which freedom they leave, and steps that satisfy them."""

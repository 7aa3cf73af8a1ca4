"""Where machine code is kept between processes, and how it gets there and back. No machine code depends on what is here."""

"""``python -m multibody`` is the command ``multibody``."""

from multibody.cli import main

if __name__ == "__main__":
    main()

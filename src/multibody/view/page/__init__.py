"""One self-contained HTML page that plays results: data packed here, drawn by the modules that lie beside."""

// HTTPServer follows.

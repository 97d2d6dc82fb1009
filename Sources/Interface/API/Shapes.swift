// Who declares an operation declares what its JSON looks like.
@_exported import Shapes

extension Shape {
    /// Every object in the shape, including nested ones.
    var objects: [ObjectShape] {
        switch self {
        case .object(let shape): [shape] + shape.fields.flatMap(\.shape.objects)
        case .variant(_, _, let variants): variants.flatMap { Shape.object($0.shape).objects }
        case .array(let shape, _), .orNull(let shape), .map(let shape): shape.objects
        case .either(let first, let second): first.objects + second.objects
        default: []
        }
    }
}

extension Operation {
    /// Every object in its body and its answers.
    var objects: [ObjectShape] {
        let answered = answers.flatMap { $0.content.compactMap(\.shape) }.flatMap(\.objects)
        return switch body {
        case .json(let shape), .jsonIfAny(let shape), .document(_, let shape):
            shape.objects + answered
        case .none, .form, .stream: answered
        }
    }
}

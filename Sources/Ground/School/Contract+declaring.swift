import API
import Contract

extension Operation.Answer {
    /// What a call of the contract answers.
    package static func of<Query, R: Record>(
        _ call: Call<Query, Document<R>>, _ meaning: String, status: Int = 200
    ) -> Self {
        .json(meaning, R.declaration.shape, status: status)
    }

    /// A page of the list that a call of the contract answers.
    package static func of<Query, Item: Record>(
        _ call: Call<Query, ListPage<Item>>, _ meaning: String
    ) -> Self {
        .page(meaning, of: Item.declaration.object)
    }

    /// The same, or CSV for clients that prefer it.
    package static func orCSV<Query, Item: Record>(
        of call: Call<Query, ListPage<Item>>, _ meaning: String
    ) -> Self {
        .pageOrCSV(meaning, of: Item.declaration.object)
    }
}

extension Operation.Parameter {
    package static func optional(
        _ name: some QueryNames, _ shape: Shape, _ meaning: String
    ) -> Self {
        .optional(name.rawValue, shape, meaning)
    }

    package static func required(
        _ name: some QueryNames, _ shape: Shape, _ meaning: String
    ) -> Self {
        .required(name.rawValue, shape, meaning)
    }
}

extension Request {
    /// A parameter of the query; `nil` if it is absent.
    package func query(_ name: some QueryNames) -> String? { query(name.rawValue) }
}

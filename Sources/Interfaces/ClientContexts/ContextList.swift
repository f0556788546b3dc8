/// The contexts of a person, in the order in which they were added, and which of them is current.
///
/// The names differ, and the current one is one of them.
public struct ContextList: Hashable, Sendable {
    /// No list is longer. A further context is refused.
    public static let limit = 256

    public private(set) var contexts: [ClientContext] = []
    /// The name of the context that is used if nothing else is said.
    public private(set) var current: ContextName?

    /// A list without contexts.
    public init() {}

    /// Returns the context of a name.
    public subscript(name: ContextName) -> ClientContext? {
        contexts.first { $0.name == name }
    }

    /// Adds a context at the end. The first one becomes the current one.
    /// - Throws: ``ContextError/Code/exists``, ``ContextError/Code/tooMany``.
    public mutating func add(_ context: ClientContext) throws(ContextError) {
        let operation = "add the context"
        guard self[context.name] == nil else {
            throw ContextError(
                .exists, operation, context.name.description, "there is one of this name",
                remedy: "choose another name, or remove that one first: capctl context remove \(context.name)")
        }
        guard contexts.count < Self.limit else {
            throw ContextError(
                .tooMany, operation, context.name.description, "there are \(Self.limit) already",
                remedy: "remove one that is not used: capctl context remove NAME")
        }
        contexts.append(context)
        if contexts.count == 1 { current = context.name }
    }

    /// Replaces the context of the same name in its place, or adds it; for joining a rig again.
    /// - Throws: ``ContextError/Code/tooMany``.
    public mutating func put(_ context: ClientContext) throws(ContextError) {
        guard let index = contexts.firstIndex(where: { $0.name == context.name }) else { return try add(context) }
        contexts[index] = context
    }

    /// Makes a context the current one.
    /// - Throws: ``ContextError/Code/unknown``.
    public mutating func use(_ name: ContextName) throws(ContextError) {
        guard self[name] != nil else { throw unknown(name.description, "use the context") }
        current = name
    }

    /// Sets which context a stored list names as current; nil for none.
    /// - Throws: ``ContextError/Code/unknown``.
    mutating func setCurrent(_ name: ContextName?) throws(ContextError) {
        current = nil
        if let name { try use(name) }
    }

    /// Removes a context. If it was the current one, no other becomes current in its place, so that no command reaches another rig by
    /// surprise. Its key file stays.
    /// - Returns: The context.
    /// - Throws: ``ContextError/Code/unknown``.
    @discardableResult
    public mutating func remove(_ name: ContextName) throws(ContextError) -> ClientContext {
        guard let index = contexts.firstIndex(where: { $0.name == name }) else {
            throw unknown(name.description, "remove the context")
        }
        if current == name { current = nil }
        return contexts.remove(at: index)
    }

    /// - Parameter source: What names the context, such as `--context`; nil for a command's own argument.
    func unknown(_ name: String, _ operation: String, from source: String? = nil) -> ContextError {
        let names = contexts.map(\.name.description)
        let known = names.isEmpty ? "there is none" : "there are: \(names.joined(separator: ", "))"
        let origin = source.map { ", which \($0) names" } ?? ""
        return ContextError(
            .unknown, operation, "'\(name)'\(origin)", "there is no context of this name",
            remedy: "\(known); a code of an administrator adds one: capctl join CODE")
    }
}

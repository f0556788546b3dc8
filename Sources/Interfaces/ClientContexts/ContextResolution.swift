public import KeyFiles

/// The rig that a command is for, and what said so.
public enum ContextChoice: Sendable {
    /// A context of the person's list.
    case context(ClientContext, from: Source)
    /// The coordinator of this machine, with the key for its administrators.
    case localAdmin(AdminAccess)

    /// What selected a context.
    public enum Source: Hashable, Sendable {
        case option
        case variable
        case current

        /// What names the context, for messages.
        public var name: String {
            switch self {
            case .option: "--context"
            case .variable: "the environment variable \(ContextChoice.variable)"
            case .current: "the current context"
            }
        }
    }

    /// The environment variable that selects a context.
    public static let variable = "CAPRIG_CONTEXT"
}

extension ContextChoice {
    /// Decides which rig a command is for. The first row that applies decides.
    ///
    /// | `--context` | `CAPRIG_CONTEXT` | current context | admin key of this machine | choice |
    /// |---|---|---|---|---|
    /// | a known name | any | any | any | that context |
    /// | anything else | any | any | any | error: `unknown`, or `invalid` if it is not a name |
    /// | not given | a known name | any | any | that context |
    /// | not given | any other text, not empty | any | any | error: `unknown`, or `invalid` if it is not a name |
    /// | not given | unset or empty | set | any | the current one |
    /// | not given | unset or empty | none | readable | the coordinator of this machine |
    /// | not given | unset or empty | none | not readable | error: `noContext`, which says what was looked for |
    ///
    /// - Parameters:
    ///   - option: The value of `--context`; nil if it is not given.
    ///   - environment: The variables of the process.
    ///   - contexts: The person's contexts.
    ///   - path: The path of the file of the contexts, for messages.
    ///   - localAdmin: Reads the admin key of this machine. Called only if nothing else decides.
    public static func resolve(
        option: String?, environment: [String: String], contexts: ContextList, path: String,
        localAdmin: () throws(KeyFileError) -> AdminAccess
    ) throws(ContextError) -> ContextChoice {
        if let option { return try named(option, .option, contexts) }
        if let variable = environment[variable], !variable.isEmpty { return try named(variable, .variable, contexts) }
        if let current = contexts.current, let context = contexts[current] { return .context(context, from: .current) }
        do {
            return .localAdmin(try localAdmin())
        } catch {
            throw noContext(contexts, path, error)
        }
    }

    private static func named(
        _ text: String, _ source: Source, _ contexts: ContextList
    ) throws(ContextError) -> ContextChoice {
        let name: ContextName
        do {
            name = try ContextName(text)
        } catch {
            var named = error
            named.subject += ", which \(source.name) names"
            throw named
        }
        guard let context = contexts[name] else { throw contexts.unknown(text, "use the context", from: source.name) }
        return .context(context, from: source)
    }

    private static func noContext(_ contexts: ContextList, _ path: String, _ error: KeyFileError) -> ContextError {
        let listed =
            contexts.contexts.isEmpty
            ? "\(path) lists none" : "none of the \(contexts.contexts.count) in \(path) is current"
        var remedy = "ask an administrator for a code and run: capctl join CODE"
        if !contexts.contexts.isEmpty { remedy = "choose one: capctl context use NAME; or \(remedy)" }
        // A missing key means that no coordinator has started on this machine. Anything else can be mended here.
        if error.code == .missing {
            remedy += "; a coordinator on this machine makes the key when it starts: systemctl status capcoordd"
        } else {
            let command = error.command.map { ": \($0)" } ?? ""
            remedy += "; or, to use the coordinator of this machine, \(error.remedy)\(command)"
        }
        return ContextError(
            .noContext, "choose", "a rig",
            "neither --context nor \(variable) is given, \(listed), and the admin key of this machine cannot be used "
                + "(\(error.subject): \(error.reason))",
            remedy: remedy, cause: error)
    }
}

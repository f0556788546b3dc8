internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigSecurity

/// What a session may do, and for how long.
struct WebSessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What the session may do: view, read, add, trigger, configure or admin; repeatable (default: what you may, without admin).",
            valueName: "permission"), transform: Permission.onCommandLine)
    var may: [Permission] = []

    @Option(help: "What the session is for (default: the name of your key).")
    var label: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long the session is valid, such as 30min, 12h or 90d.", valueName: "duration"),
        transform: Duration.ofSession)
    var validity: Duration?

    /// Makes a session with the person's own key.
    func issue(
        _ kind: RigSession.Kind, defaultValidity: Duration, _ rig: RigOptions
    ) async throws -> (RigSession, secret: SessionSecret) {
        try await rig.withClient { client in
            let identity = try await client.identity()
            let permissions = may.isEmpty ? identity.permissions.subtracting([.admin]) : Set(may)
            return try await client.issueSession(
                kind, label: label ?? String(identity.principal.prefix(64)), permissions: permissions,
                validity: validity ?? defaultValidity)
        }
    }
}

extension Permission {
    fileprivate static func onCommandLine(_ text: String) throws -> Permission {
        guard let permission = Permission(rawValue: text) else {
            throw ValidationError(
                "'\(text)' is not a permission; there are \(Permission.allCases.map(\.rawValue).joined(separator: ", "))"
            )
        }
        return permission
    }
}

extension Duration {
    /// Reads how long a session is valid.
    fileprivate static func ofSession(_ text: String) throws -> Duration {
        guard let duration = Duration(commandLine: text), duration > .zero else {
            throw ValidationError("'\(text)' is not a duration; write it such as 30min, 12h or 90d")
        }
        return duration
    }
}

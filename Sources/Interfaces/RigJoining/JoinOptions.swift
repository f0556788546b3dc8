public import ArgumentParser
public import CaptureModel
internal import RigConfiguration
public import RigSecurity

/// The options with which a person lets a machine join a rig: with a code, or by the approval of an admin.
public struct JoinOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The code, as the coordinator printed it; with --request, the coordinator's host or HOST:PORT (default: the one that "
                + "announces itself on the network).",
            valueName: "code"))
    public var code: String?

    @Flag(help: "Join without a code: an admin of the rig approves this machine by its fingerprint.")
    public var request = false

    @Option(
        help: ArgumentHelp(
            "With --request: the coordinator's key, as `capctl keys list` shows it to an admin.", valueName: "key"))
    public var coordinatorKey: String?

    @Option(help: "With --request: the name to ask for.", transform: { try KeyName($0) })
    public var name: KeyName?

    @Option(
        help: ArgumentHelp("With --request: how long to wait for the approval (1h).", valueName: "duration"),
        transform: JoinOptions.duration)
    public var wait: Duration?

    public init() {}

    /// How the machine joins.
    public enum Way: Sendable {
        case code(JoinCode)
        case approval(CoordinatorPlace)
    }

    /// How long to wait for the approval.
    public var patience: Duration { wait ?? .seconds(3600) }

    /// Reads code or coordinator. Looks for a coordinator that announces itself if none is given.
    /// - Throws: `SecurityError`, `ValidationError`.
    public func way() async throws -> Way {
        guard request else {
            guard coordinatorKey == nil, name == nil, wait == nil else {
                throw ValidationError("--coordinator-key, --name and --wait need --request; a code has all of them")
            }
            guard let code else {
                throw ValidationError("give the code that `capctl node invite` or `capctl keys invite` has printed")
            }
            return .code(try JoinCode(code))
        }
        guard code?.lowercased().hasPrefix("caprig1-") != true else {
            throw ValidationError("this is a code; with a code, leave out --request")
        }
        guard let coordinatorKey else {
            throw ValidationError(
                "give the coordinator's key: --coordinator-key KEY; an admin sees it with `capctl keys list`. Without it, this "
                    + "machine cannot know whether it has reached the coordinator")
        }
        let key = try CoordinatorPlace.readKey(coordinatorKey)
        let host: String
        if let code { host = code } else { host = try await AnnouncedCoordinators.only() }
        return .approval(try CoordinatorPlace(host: host, key: key))
    }

    private static func duration(_ text: String) throws -> Duration {
        do {
            return try Scalar<Duration>.duration(.seconds(1) ... .seconds(7 * 86_400)).read(text)
        } catch {
            throw ValidationError(error.reason)
        }
    }
}

/// What a command tells the person while a machine waits for its approval.
public enum ApprovalText {
    public static func waiting(for key: PublicKey, at coordinator: CoordinatorPlace) -> String {
        """
        this machine:    \(key)
        the coordinator: \(coordinator.key) at \(coordinator.join)
        waiting for an admin of the rig, who runs, if `capctl keys list` shows this machine's fingerprint:
          capctl keys approve '\(key)'
        """
    }
}

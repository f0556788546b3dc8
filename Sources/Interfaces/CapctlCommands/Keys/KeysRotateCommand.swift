internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments
internal import RigSecurity
internal import SystemClock
internal import ZeroMQ

/// `capctl keys rotate`.
struct KeysRotateCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "rotate", abstract: "Replace the coordinator's own key.",
        discussion: """
            Nodes and people need no visit: the coordinator tells the new key to each that connects, and listens with the old key on \
            its second ports (the usual ones + \(SecondPort.offset)) until every holder has connected with the new one. The command \
            waits for up to five seconds, and lists those that have not (status 3).
            """)

    static let examples: [CommandExample] = [
        .shown("capctl keys rotate", needs: "a rig that nobody else uses")
    ]

    /// How long to wait for the holders.
    static let patience = Duration.seconds(5)

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: NamelessFormatOptions

    @Flag(
        help:
            "Somebody else may have the secret key: end the old key at once. Holders that are not connected must join again."
    )
    var compromised = false
    @Flag(help: "End the old key before every holder has the new one. The others must join again.")
    var end = false

    func validate() throws {
        guard !(compromised && end) else {
            throw ValidationError("--compromised replaces the key, and --end ends an old one; give one of them.")
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let target = try rig.target()
        guard let known = target.keys.flatMap({ PublicKey(bytes: $0.coordinator.bytes) }) else {
            throw CommandFailure(.usage, "a coordinator without keys has none to replace")
        }
        let rotation =
            try await end
            ? target.withClient { try await $0.endKeyRotation() }
            : target.withClient { try await $0.rotateKey(from: known, isCompromised: compromised) }
        let now = end ? rotation : try await settled(rotation, target)
        let report = RotationReport(rotation: now, isEnded: end || !now.isOldServed)
        try output.show(report, on: console)
        return now.unconfirmed.isEmpty ? .complete : .partial
    }

    /// Waits until the coordinator listens with the new key, and every holder has connected with it.
    private func settled(_ begun: KeyRotation, _ target: RigTarget) async throws -> KeyRotation {
        let time = SystemTimeSource()
        let deadline = time.now() + Self.patience
        let followed = try target.knowing(begun.newKey) ?? target
        return try await followed.withClient { client in
            var last = begun
            repeat {
                guard let rotation = try await client.keys().rotation, rotation.newKey == begun.newKey else {
                    last.unconfirmed = []
                    return last
                }
                last = rotation
                if rotation.unconfirmed.isEmpty { return last }
                try await time.sleep(for: .milliseconds(100))
            } while time.now() < deadline
            return last
        }
    }
}

/// The replacement of the coordinator's key.
struct RotationReport: Report {
    var rotation: KeyRotation
    /// Whether the old key is no longer served.
    var isEnded: Bool

    var document: RotationDocument { RotationDocument(rotation, isEnded: isEnded) }

    func table(_ layout: TextLayout) -> String {
        let replaced = "the coordinator's key is \(rotation.newKey)\n"
        guard !rotation.unconfirmed.isEmpty else { return replaced }
        let names = rotation.unconfirmed.map { "\($0.role.rawValue) '\($0.name)'" }.joined(separator: ", ")
        return replaced
            + (isEnded
                ? "to visit, since they may not know it: \(names); each joins again with a new code\n"
                : "not known yet by: \(names); each learns it when it connects. To end the old key before: capctl keys rotate --end\n")
    }
}

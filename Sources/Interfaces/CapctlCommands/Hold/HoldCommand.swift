internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl hold`: keeping the rig for oneself for a while.
struct HoldCommand: ExplainedCommand {
    static let help = CommandConfiguration(
        commandName: "hold", abstract: "Keep the rig for yourself for a while.",
        subcommands: [HoldTakeCommand.self, HoldReleaseCommand.self, HoldStatusCommand.self],
        defaultSubcommand: HoldTakeCommand.self)

    static let examples: [CommandExample] = [
        "capctl hold --for 30m --note \"color charts\"",
        "capctl hold release",
    ]
}

/// `capctl hold`, `capctl hold take`.
struct HoldTakeCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "take", abstract: "Hold the rig, or renew your hold.",
        discussion: """
            Until the hold ends, the rig refuses what others change: shots, takes, sessions, controls, spools and the roster. The refusal \
            names you, the note and the end. Repeat the command to renew the hold; `capctl hold release` ends it earlier. A shot that was \
            accepted before and a take that records continue.
            """)

    static let examples: [CommandExample] = [
        "capctl hold --for 30m --note \"color charts\""
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: NamelessFormatOptions

    @Option(
        name: .customLong("for"), help: ArgumentHelp("How long: 10s to 4h, from now.", valueName: "duration"),
        transform: Duration.ofHold)
    var duration: Duration = .seconds(600)

    @Option(help: "What for, one line; shown to whoever is refused. Omitted: unchanged.")
    var note: String?

    @Flag(name: .customLong("override"), help: "End the hold of somebody else and take its place; for administrators.")
    var isOverriding = false

    func validate() throws {
        guard RigHold.isValid(note: note ?? "") else {
            throw ValidationError("The note is one line of at most \(RigHold.longestNote) bytes.")
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await rig.withClient { client in
            let overrides = isOverriding ? try await client.heldBy : nil
            let request = HoldRequest(duration: duration, note: note, overrides: overrides)
            return HoldReport(status: try await client.hold(request).status, now: try await client.status().now)
        }
        try output.show(report, on: console)
        return .complete
    }
}

/// `capctl hold release`.
struct HoldReleaseCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "release", abstract: "End your hold of the rig before its time.",
        discussion: "If nobody holds the rig, this does nothing.")

    static let examples: [CommandExample] = [
        "capctl hold release"
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: NamelessFormatOptions

    @Flag(name: .customLong("override"), help: "End the hold of somebody else; for administrators.")
    var isOverriding = false

    func perform(_ console: Console) async throws -> CommandStatus {
        try await rig.withClient { client in
            try await client.releaseHold(overriding: isOverriding ? try await client.heldBy : nil)
        }
        try output.show(HoldReport(status: nil, now: nil), on: console)
        return .complete
    }
}

/// `capctl hold status`.
struct HoldStatusCommand: ReportingCommand {
    static let help = CommandConfiguration(commandName: "status", abstract: "Show who holds the rig.")

    static let examples: [CommandExample] = [
        "capctl hold status"
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: NamelessFormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let status = try await rig.withClient { client in try await client.status() }
        try output.show(HoldReport(status: status.hold, now: status.now), on: console)
        return .complete
    }
}

extension Duration {
    /// Parses how long a hold lasts.
    fileprivate static func ofHold(_ text: String) throws -> Duration {
        guard let duration = Duration(commandLine: text), RigHold.durations.contains(duration) else {
            throw ValidationError("'\(text)' is not how long a hold lasts: 10s to 4h, such as 10m")
        }
        return duration
    }
}

extension RigClient {
    /// The name of whoever holds the rig, so that an override ends this hold and none that begins after it; nil if nobody does.
    fileprivate var heldBy: String? {
        get async throws { try await status().hold?.hold.holder.name }
    }
}

/// Who holds the rig.
struct HoldReport: Report {
    /// nil if nobody does.
    var status: HoldStatus?
    /// Rig time when that was true; nil if it is not known.
    var now: RigTime?

    var document: HoldStateDocument { HoldStateDocument(status) }

    func table(_ layout: TextLayout) -> String {
        status.map { Self.line($0, at: now, layout) } ?? "nobody holds the rig\n"
    }

    /// `anna holds the rig for another 9 min 59 s: calibration`
    static func line(_ status: HoldStatus, at now: RigTime?, _ layout: TextLayout) -> String {
        let (hold, end) = (status.hold, layout.time(status.endsRealtimeNanoseconds))
        let note = hold.note.isEmpty ? "" : ": \(Table.printable(hold.note))"
        let remaining = now.map { " for another \(rest(hold.ends - $0))" } ?? ""
        return "\(Table.printable(hold.holder.name)) holds the rig\(remaining), until \(end)\(note)\n"
    }

    /// Rounded up, as in the coordinator's sentence.
    private static func rest(_ duration: Duration) -> String {
        let seconds = max(0, (duration + .nanoseconds(999_999_999)).components.seconds)
        return seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    }
}

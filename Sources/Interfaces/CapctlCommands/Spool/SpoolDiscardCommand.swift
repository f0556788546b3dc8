internal import ArgumentParser
internal import CaptureModel
internal import RigDocuments
internal import SystemClock

/// `capctl spool discard`.
struct SpoolDiscardCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "discard", abstract: "Permanently remove captures from the nodes' spools.",
        discussion: """
            Shows what it would remove and asks at the terminal; without a terminal it needs --yes. The library is not \
            changed, and captures that are being recorded are kept. The exit status is 4 if nothing was discarded, 3 if \
            some captures were kept or were already gone.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl spool discard --orphans", needs: "captures in a spool")
    ]

    @OptionGroup var options: SpoolOptions
    @OptionGroup var output: NamelessFormatOptions

    @Option(
        name: .customLong("shot"), help: "Captures of this shot, by its whole id; repeatable.",
        completion: .shots, transform: ShotID.argument)
    var shots: [ShotID] = []

    @Option(
        name: .customLong("device"), help: "Captures of this camera, as node/device; repeatable.",
        completion: .devices, transform: { try DeviceID($0) })
    var devices: [DeviceID] = []

    @Flag(help: "Only captures that are damaged.")
    var damaged = false

    @Flag(help: "Only captures that no shot of the coordinator's library expects.")
    var orphans = false

    @Flag(help: "Discard without asking.")
    var yes = false

    func validate() throws {
        guard !shots.isEmpty || !devices.isEmpty || damaged || orphans else {
            throw ValidationError("Select captures: --shot, --device, --damaged or --orphans.")
        }
        guard !(damaged && orphans) else {
            throw ValidationError("Give either --damaged or --orphans: no capture is both.")
        }
        guard !orphans || options.spool == nil else {
            throw ValidationError("Only a coordinator knows which captures are orphans; omit --spool.")
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        try await options.withSource(console) { source in
            let content = try await source.list()
            for obstacle in content.obstacles { console.note("capctl: \(obstacle)\n") }
            let named = content.captures.filter(isMeant)
            guard !named.isEmpty else { throw CommandFailure(.failed, "no capture in the spools matches") }
            let meant = named.filter { !isBeingRecorded($0) }
            for capture in named where isBeingRecorded(capture) {
                console.note("capctl: \(capture.key) is kept: it is being recorded, or its movie is being finished\n")
            }
            guard !meant.isEmpty else { throw CommandFailure(.failed, "nothing was discarded; stop the take first") }
            try confirm(meant, console)
            let discarded = try await source.discard(meant)
            try output.show(DiscardReport(captures: discarded), on: console)
            guard !discarded.isEmpty else { return .failed }
            return discarded.count == named.count && content.obstacles.isEmpty ? .complete : .partial
        }
    }

    /// A capture must match all options. A capture that waits for a library that knows it must be named to be
    /// discarded, and by a whole id: what is meant by a part of one would depend on which spools answer.
    func isMeant(_ capture: SpooledCapture) -> Bool {
        (shots.isEmpty || shots.contains(capture.key.shot))
            && (devices.isEmpty || devices.contains(capture.key.device))
            && (!damaged || capture.state == .damaged) && (!orphans || capture.state == .orphan)
    }

    /// Without a running agent nothing is recorded or finished.
    private func isBeingRecorded(_ capture: SpooledCapture) -> Bool {
        options.spool == nil && capture.state == .recording
    }

    private func confirm(_ captures: [SpooledCapture], _ console: Console) throws {
        guard !yes else { return }
        let now = SystemTimeSource().wallClockPair().realtimeNanoseconds
        console.note(SpoolReport(captures: captures, now: now).table(output.layout(console)))
        let bytes = Decimals.byteText(captures.reduce(0) { $0.saturating($1.byteCount) })
        try console.requireAgreement(
            "Remove \(captures.count.counted("capture")), \(bytes) permanently?", refused: "nothing was discarded",
            yes: "discard them")
    }
}

extension Int64 {
    /// The sum, or the largest number on overflow, since a node may report any number.
    fileprivate func saturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

/// Captures that were removed.
struct DiscardReport: Report {
    var captures: [SpooledCapture]

    var document: DiscardDocument { DiscardDocument(captures) }

    func table(_ layout: TextLayout) -> String { captures.map { "\($0.key.device) \($0.key.shot)\n" }.joined() }
}

internal import ArgumentParser
internal import CameraSettings
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl settings match`.
struct SettingsMatchCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract:
            "Give cameras the brightness and color of one of them, or those of a card, by measuring their pictures.",
        discussion: """
            All cameras must see the same target, such as a grey card, where --target says. Each is measured, set to manual values, and \
            measured again, in at most 5 iterations. Values are in proportion to light only where a camera delivers RAW, or its file has a \
            measured tone curve; otherwise sRGB is assumed, which the report says.
            """)

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup(title: "Which cameras") var cameras: SelectionOptions
    @OptionGroup var options: MatchOptions

    @Option(
        help: ArgumentHelp("The camera whose brightness and color the others get.", valueName: "node/device"),
        transform: { try DeviceID($0) })
    var reference: DeviceID?

    @Option(
        help: ArgumentHelp(
            "The target's own color: grey (18 %), or linear sRGB as red,green,blue from 0 to 1. Cameras are to show it so; with --reference, as bright as that camera does.",
            valueName: "grey|r,g,b"),
        transform: SettingsMatchCommand.card)
    var card: ColourMean?

    @Flag(help: "Measure the whole picture, and assume that it is grey on average.")
    var grayWorld = false

    func validate() throws {
        guard !cameras.isEmpty else {
            throw ValidationError("Select cameras: --all, or any of --type, --position, --node, --device, --label.")
        }
        guard reference != nil || card != nil || grayWorld else {
            throw ValidationError("Say what to match: --reference, --card or --gray-world.")
        }
        if grayWorld, options.target != nil || card != nil {
            throw ValidationError("--gray-world measures the whole picture as grey; omit --target and --card.")
        }
    }

    static func card(_ text: String) throws -> ColourMean {
        if text == "grey" || text == "gray" { return grey }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).compactMap { Double($0) }
        guard parts.count == 3, parts.allSatisfy({ (0.01...1).contains($0) }) else {
            throw ValidationError("'\(text)' is neither grey nor a color in linear sRGB, such as 0.36,0.21,0.1")
        }
        return ColourMean(red: parts[0], green: parts[1], blue: parts[2])
    }

    private static let grey = ColourMean(red: 0.18, green: 0.18, blue: 0.18)

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await rig.withClient { try await match($0, console) }
        try options.write(report.all)
        console.write(try report.rendered(as: output.format))
        return report.status
    }

    private func match(_ client: RigClient, _ console: Console) async throws -> MatchReport {
        let (ids, intervals) = try await MatchOptions.cameras(of: cameras.selection, client)
        let runner = MatchRunner(
            rig: ConnectedMatchingRig(client: client, intervals: intervals),
            region: grayWorld ? .whole : options.target ?? .centre, frames: options.frames,
            wantsPictures: options.pictures != nil)
        var report = MatchReport(kind: .match, tolerance: options.tolerance, region: runner.region)
        let target: ColourMean
        if let reference {
            console.progress("measuring \(reference)")
            let locked = await runner.lock(reference, tolerance: options.tolerance, within: .seconds(30))
            guard let measured = locked.after, locked.isMatched, MatchMachine.flaw(of: measured) == nil else {
                console.endProgress()
                throw CommandFailure(.failed, Self.unusable(locked))
            }
            report.reference = locked
            target = wanted(measured)
        } else {
            target = card ?? Self.grey
        }
        // Under a card, the reference too is to show its color.
        let others = ids.filter { $0 != reference || card != nil || grayWorld }
        console.progress("matching \(others.count) cameras")
        let tolerance = options.tolerance
        let matches = await runner.each(others) { await runner.match($0, to: target, tolerance: tolerance) }
        report.cameras = others.compactMap { matches[$0] }
        report.target = target
        if let reference, card == nil, !grayWorld {
            report.referenceAfter = try? await runner.rig.measure(reference, runner.request())
        }
        console.endProgress()
        return report
    }

    /// The color for which the reference stands.
    private func wanted(_ measured: PictureMeasurement) -> ColourMean {
        guard let card = card ?? (grayWorld ? Self.grey : nil) else { return measured.linear }
        let factor = measured.linear.green / card.green
        return ColourMean(red: card.red * factor, green: measured.linear.green, blue: card.blue * factor)
    }

    private static func unusable(_ reference: MatchResult) -> String {
        switch reference.outcome {
        case .matched: "\(reference.device) cannot be the reference: its target is clipped"
        case .refused(let reason), .notConverged(let reason):
            "\(reference.device) cannot be the reference: \(reason)"
        }
    }
}

/// `capctl settings lock`.
struct SettingsLockCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Keep what the automatic modes of cameras have chosen.",
        discussion: """
            Waits until the pictures are steady, switches exposure, gain and white balance to manual, and measures the pictures again: many \
            cameras fall back to their last manual values. What has changed is corrected, and what remains is reported.
            """)

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup(title: "Which cameras") var cameras: SelectionOptions
    @OptionGroup var options: MatchOptions

    @Option(
        help: ArgumentHelp("How long to wait until the pictures are steady.", valueName: "duration"),
        transform: FrameOptions.duration)
    var timeout: Duration = .seconds(20)

    func validate() throws {
        guard !cameras.isEmpty else {
            throw ValidationError("Select cameras: --all, or any of --type, --position, --node, --device, --label.")
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await rig.withClient { client in
            let (ids, intervals) = try await MatchOptions.cameras(of: cameras.selection, client)
            let runner = MatchRunner(
                rig: ConnectedMatchingRig(client: client, intervals: intervals), region: options.target ?? .centre,
                frames: options.frames, wantsPictures: options.pictures != nil)
            let (tolerance, timeout) = (options.tolerance, timeout)
            console.progress("locking \(ids.count) cameras")
            let locks = await runner.each(ids) { await runner.lock($0, tolerance: tolerance, within: timeout) }
            console.endProgress()
            var report = MatchReport(kind: .lock, tolerance: tolerance, region: runner.region)
            report.cameras = ids.compactMap { locks[$0] }
            return report
        }
        try options.write(report.all)
        console.write(try report.rendered(as: output.format))
        return report.status
    }
}

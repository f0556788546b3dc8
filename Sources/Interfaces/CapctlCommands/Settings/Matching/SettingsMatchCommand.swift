internal import ArgumentParser
internal import CaptureModel
internal import RigMatching

/// `capctl settings match`.
struct SettingsMatchCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "match",
        abstract:
            "Give cameras the brightness and color of one of them, or those of a card, by measuring their pictures.",
        discussion: """
            All cameras must see the same target, such as a gray card, where --target says. Each is measured, set to manual values, and \
            measured again, in at most 5 iterations. Values are in proportion to light only where a camera delivers RAW, or its file has a \
            measured tone curve; otherwise sRGB is assumed, which the report says.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl settings match --all --reference node1/cam1", needs: "cameras that see the same")
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: NamelessFormatOptions
    @OptionGroup(title: "Which cameras") var cameras: SelectionOptions
    @OptionGroup var options: MatchOptions

    @Option(
        help: ArgumentHelp("The camera whose brightness and color the others get.", valueName: "node/device"),
        completion: .devices, transform: { try DeviceID($0) })
    var reference: DeviceID?

    @Option(
        help: ArgumentHelp(
            "The target's own color: gray (18 %), or linear sRGB as red,green,blue from 0 to 1. Cameras are to show it so; with --reference, as bright as that camera does.",
            valueName: "gray|r,g,b"),
        transform: SettingsMatchCommand.card)
    var card: ColorMean?

    @Flag(help: "Measure the whole picture, and assume that it is gray on average.")
    var grayWorld = false

    func validate() throws {
        guard !cameras.isEmpty else {
            throw ValidationError("Select cameras: --all, or any of --type, --position, --node, --device, --label.")
        }
        guard reference != nil || card != nil || grayWorld else {
            throw ValidationError("Say what to match: --reference, --card or --gray-world.")
        }
        if grayWorld, options.target != nil || card != nil {
            throw ValidationError("--gray-world measures the whole picture as gray; omit --target and --card.")
        }
    }

    static func card(_ text: String) throws -> ColorMean {
        if text == "grey" || text == "gray" { return MatchRequest.gray }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).compactMap { Double($0) }
        guard parts.count == 3, parts.allSatisfy(MatchRequest.cardRange.contains) else {
            throw ValidationError("'\(text)' is neither gray nor a color in linear sRGB, such as 0.36,0.21,0.1")
        }
        return ColorMean(red: parts[0], green: parts[1], blue: parts[2])
    }

    /// What is asked for, after ``validate()``.
    private var goal: MatchRequest.Goal {
        let card = card ?? (grayWorld ? MatchRequest.gray : nil)
        return reference.map { .reference($0, card: card) } ?? .card(card ?? MatchRequest.gray)
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        var request = options.request(goal)
        if grayWorld { request.region = .whole }
        let report = try await options.report(request, cameras.selection, rig, console, "matching")
        if let problem = report.referenceProblem { throw CommandFailure(.failed, problem) }
        try output.show(report, on: console)
        return report.status
    }
}

/// `capctl settings lock`.
struct SettingsLockCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "lock",
        abstract: "Keep what the automatic modes of cameras have chosen.",
        discussion: """
            Waits until the pictures are steady, switches exposure, gain and white balance to manual, and measures the pictures again: many \
            cameras fall back to their last manual values. What has changed is corrected, and what remains is reported.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl settings lock --all", needs: "cameras with automatic modes")
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: NamelessFormatOptions
    @OptionGroup(title: "Which cameras") var cameras: SelectionOptions
    @OptionGroup var options: MatchOptions

    @Option(
        help: ArgumentHelp("How long to wait until the pictures are steady.", valueName: "duration"),
        transform: FrameOptions.duration)
    var timeout = MatchRequest.usualSteadyLimit

    func validate() throws {
        guard !cameras.isEmpty else {
            throw ValidationError("Select cameras: --all, or any of --type, --position, --node, --device, --label.")
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await options.report(
            options.request(.locked(within: timeout)), cameras.selection, rig, console, "locking")
        try output.show(report, on: console)
        return report.status
    }
}

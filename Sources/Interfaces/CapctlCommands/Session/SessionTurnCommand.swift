internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl session turn`.
struct SessionTurnCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "turn", abstract: "Set how pictures of cameras stand upright, and whether they are mirrored.",
        discussion: """
            Applies from the next live picture and the next shot that is armed, until the agent is restarted. Then its \
            configuration applies again (orientation, mirrored). Pixels are not changed.
            """)

    static let examples: [CommandExample] = [
        .after("capctl session start --all", line: "capctl session turn node1/cam1 --orientation 90 --mirrored"),
        "capctl session turn --all --orientation 0 --no-mirrored",
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var sessions: SessionOptions

    @Option(
        help: ArgumentHelp(
            "Clockwise turn after which the picture stands upright: 0, 90, 180 or 270.", valueName: "degrees"),
        transform: SessionTurnCommand.orientation)
    var orientation: Orientation?

    @Flag(
        inversion: .prefixedNo, help: "Whether left and right are exchanged after that turn (default: unchanged).")
    var mirrored: Bool?

    func validate() throws {
        guard orientation != nil || mirrored != nil else {
            throw ValidationError("Give --orientation, --mirrored or --no-mirrored.")
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        try await sessions.perform(rig, output, console) {
            [orientation, mirrored] client, device, timeout throws(RigClientError) in
            try await client.setConnection(
                of: device, orientation: orientation, isMirrored: mirrored, timeout: timeout)
        }
    }

    private static func orientation(_ text: String) throws -> Orientation {
        guard let orientation = Int(text).flatMap(Orientation.init) else {
            throw ValidationError("'\(text)' is not 0, 90, 180 or 270")
        }
        return orientation
    }
}

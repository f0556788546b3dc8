internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigWire

/// `capctl watch`.
struct WatchCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "watch", abstract: "Show the steps of captures as they happen, one line for each step and camera.",
        discussion: """
            Without a shot it also shows when cameras see another scene, if their configuration asks for that, and \
            continues until it is interrupted. With a shot it begins with the first step that the coordinator still has, \
            and ends when the shot is settled and every camera has ended its capture.
            """)

    static let examples: [CommandExample] = [
        "capctl watch last",
        .shown("capctl watch", needs: "Ctrl-C to end"),
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: NamelessFormatOptions

    @Argument(
        help: "Only this shot or take: its id, the beginning or the last six characters of it, or last.",
        completion: .shots,
        transform: ShotReference.argument)
    var shot: ShotReference?

    @Option(
        name: .customLong("device"), help: "Only this camera, as node/device; repeatable.",
        completion: .devices, transform: { try DeviceID($0) })
    var devices: [DeviceID] = []

    @Flag(help: "Begin with the oldest step that the coordinator has.")
    var replay = false

    @Option(help: "End after this number of lines.")
    var count: Int?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        try await rig.withClient { client in
            await noteUnknownDevices(client, console)
            var id: ShotID?
            if let shot { id = try await client.id(of: shot, last: .both) }
            await noteUnknownShot(id, client, console)
            var watch = CaptureWatch(shot: id, devices: devices)
            var remaining = count ?? .max
            let feed = FeedPrinter(output: output, coordinator: await client.endpoint, console: console)
            for try await item in client.events(from: replay || shot != nil ? .beginning : .now) {
                if case .event(let event) = item, !watch.process(event.source.event) {
                    if watch.isOver { break }
                    continue
                }
                if try feed.show(item) { remaining -= 1 }
                if remaining == 0 || watch.isOver { break }
            }
        }
        return .complete
    }

    /// Notes that the rig does not have the shot. The command still waits for it, since the shot may be triggered
    /// later.
    private func noteUnknownShot(_ shot: ShotID?, _ client: RigClient, _ console: Console) async {
        guard let shot else { return }
        do throws(RigClientError) {
            _ = try await client.shot(shot)
        } catch {
            if error.code == .refused(RigProblem.Code.deleted.rawValue) { console.note("capctl: \(error)\n") }
            guard error.code == .refused(RigProblem.Code.unknownShot.rawValue) else { return }
            console.note("capctl: the rig has no shot \(shot) yet; `capctl shots list` lists its shots\n")
        }
    }

    /// Notes devices that the rig does not have. The command still waits for them, since their nodes may join later.
    private func noteUnknownDevices(_ client: RigClient, _ console: Console) async {
        guard !devices.isEmpty, let roster = try? await client.devices() else { return }
        for device in Set(devices).subtracting(roster.map(\.device.id)).sorted() {
            let question = Spelling.question(for: "\(device)", among: roster.map { "\($0.device.id)" })
            console.note(
                "capctl: the rig has no device '\(device)' yet\(question); `capctl devices` lists its devices\n")
        }
    }
}

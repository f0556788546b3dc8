internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigWire

/// `capctl watch`.
struct WatchCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show the life cycle of captures as they happen, one line a step and camera.",
        discussion: """
            Without a shot it also shows when cameras see another scene, where their configuration asks for that. \
            With a shot it begins with the first step that the coordinator still holds, and ends when the shot is settled \
            and every camera has come to its end; else it goes on until it is interrupted.
            """)

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Argument(help: "Only this shot.", transform: ShotID.argument)
    var shot: ShotID?

    @Option(
        name: .customLong("device"), help: "Only this camera, as node/device; repeatable.",
        transform: { try DeviceID($0) })
    var devices: [DeviceID] = []

    @Flag(help: "Begin with the oldest step that the coordinator still holds.")
    var replay = false

    @Option(help: "End after so many lines.")
    var count: Int?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        try await rig.withClient { client in
            await noteUnknownDevices(client, console)
            await noteUnknownShot(client, console)
            var watch = CaptureWatch(shot: shot, devices: devices)
            var remaining = count ?? .max
            let feed = FeedPrinter(format: output.format, coordinator: rig.coordinator, console: console)
            for try await item in client.events(from: replay || shot != nil ? .beginning : .now) {
                if case .event(let event) = item, !watch.take(event.source.event) {
                    if watch.isOver { break }
                    continue
                }
                if try feed.show(item) { remaining -= 1 }
                if remaining == 0 || watch.isOver { break }
            }
        }
        return .complete
    }

    /// Says that the rig does not have the shot. It is waited for all the same, since it may be triggered yet.
    private func noteUnknownShot(_ client: RigClient, _ console: Console) async {
        guard let shot else { return }
        do throws(RigClientError) {
            _ = try await client.shot(shot)
        } catch {
            guard error.code == .refused(CaptureProblem.Code.unknownShot.rawValue) else { return }
            console.note("capctl: the rig has no shot \(shot) yet; `capctl shots list` shows those it has\n")
        }
    }

    /// Says which devices the rig does not have. They are waited for all the same, since their node may come yet.
    private func noteUnknownDevices(_ client: RigClient, _ console: Console) async {
        guard !devices.isEmpty, let roster = try? await client.devices() else { return }
        for device in Set(devices).subtracting(roster.map(\.device.id)).sorted() {
            console.note("capctl: the rig has no device '\(device)' yet; `capctl devices` lists what it has\n")
        }
    }
}

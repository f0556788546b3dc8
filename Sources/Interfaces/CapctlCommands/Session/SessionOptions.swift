internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// Which sessions a command is for, by name or by selection.
struct SessionOptions: ParsableArguments {
    @Argument(help: "Cameras, as node/device.", transform: { try DeviceID($0) })
    var named: [DeviceID] = []

    @OptionGroup(title: "Which cameras") var cameras: SelectionOptions
    @OptionGroup var patience: DeviceTimeoutOptions

    func validate() throws {
        guard !named.isEmpty || !cameras.isEmpty else {
            throw ValidationError(
                "Say which cameras: node/device, --all, or any of --type, --position, --first, --node, --device, --label."
            )
        }
    }

    /// Asks every camera meant, side by side, and prints how each stands.
    func perform(
        _ rig: RigOptions, _ output: FormatOptions, _ console: Console,
        _ command: @escaping @Sendable (RigClient, DeviceID, Duration) async throws(RigClientError) -> SessionResult
    ) async throws -> CommandStatus {
        let timeout = patience.timeout
        let (outcomes, leftOut) = try await rig.withClient { client in
            let (devices, leftOut) = try await chosen(by: client)
            let outcomes = await withTaskGroup(of: SessionOutcome.self) { group in
                for device in devices {
                    group.addTask { await SessionOutcome(device: device, of: client, timeout, command) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            return (outcomes, leftOut)
        }
        let report = SessionReport(outcomes: outcomes.sorted { $0.device < $1.device }, leftOut: leftOut)
        console.write(try report.rendered(as: output.format))
        return report.status
    }

    private func chosen(by client: RigClient) async throws -> ([DeviceID], LeftOutDevices?) {
        var selection = cameras.selection
        selection.devices += named
        let candidates = try await client.devices().map {
            SelectionCandidate(device: $0.device, condition: $0.condition)
        }
        do {
            return (try selection.evaluate(candidates).map(\.id), selection.leftOut(of: candidates))
        } catch {
            throw CommandFailure(.nothingSelected, error.description)
        }
    }
}

internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// The sessions of a command, by name or by selection.
struct SessionOptions: ParsableArguments {
    @OptionGroup var cameras: CameraOptions
    @OptionGroup var patience: DeviceTimeoutOptions

    func validate() throws {
        try cameras.requireSome()
    }

    /// Sends the command to all selected cameras at once, and prints their states.
    func perform(
        _ rig: RigOptions, _ output: FormatOptions, _ console: Console,
        _ command: @escaping @Sendable (RigClient, DeviceID, Duration) async throws(RigClientError) -> SessionResult
    ) async throws -> CommandStatus {
        let (outcomes, leftOut) = try await outcomes(rig, command)
        let report = SessionReport(outcomes: outcomes, leftOut: leftOut)
        try output.show(report, on: console)
        return report.status
    }

    /// Sends the command to all selected cameras at once.
    /// - Returns: What became of it, in order of the cameras, and the devices that were omitted.
    func outcomes(
        _ rig: RigOptions,
        _ command: @escaping @Sendable (RigClient, DeviceID, Duration) async throws(RigClientError) -> SessionResult
    ) async throws -> ([SessionOutcome], LeftOutDevices?) {
        let timeout = patience.timeout
        return try await rig.withClient { client in
            let (devices, leftOut) = try await chosen(by: client)
            let outcomes = await withTaskGroup(of: SessionOutcome.self) { group in
                for device in devices {
                    group.addTask { await SessionOutcome(device: device, of: client, timeout, command) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            return (outcomes.sorted { $0.device < $1.device }, leftOut)
        }
    }

    private func chosen(by client: RigClient) async throws -> ([DeviceID], LeftOutDevices?) {
        let selection = cameras.selection
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

/// How long a node may take to carry out a command.
struct DeviceTimeoutOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("How long to wait for a node, up to 10min.", valueName: "duration"),
        transform: DeviceTimeoutOptions.duration)
    var timeout = Duration.seconds(10)

    private static func duration(_ text: String) throws -> Duration {
        guard let duration = Duration(commandLine: text), duration > .zero, duration <= .seconds(600) else {
            throw ValidationError("write a duration with its unit, such as 500ms or 30s, up to 10min")
        }
        return duration
    }
}

/// The outcome of a command for one camera.
struct SessionOutcome: Sendable {
    var device: DeviceID
    var result: Result<SessionResult, RigClientError>

    /// Why the command failed; nil if it succeeded.
    var failure: RigClientError? {
        if case .failure(let error) = result { error } else { nil }
    }

    init(device: DeviceID, result: Result<SessionResult, RigClientError>) {
        self.device = device
        self.result = result
    }

    init(
        device: DeviceID, of client: RigClient, _ timeout: Duration,
        _ command: @Sendable (RigClient, DeviceID, Duration) async throws(RigClientError) -> SessionResult
    ) async {
        self.device = device
        do throws(RigClientError) {
            result = .success(try await command(client, device, timeout))
        } catch {
            result = .failure(error)
        }
    }
}

/// The states of cameras after a command.
struct SessionReport: Report {
    var outcomes: [SessionOutcome]
    var leftOut: LeftOutDevices?

    var document: SessionsDocument {
        SessionsDocument(outcomes.map { SessionDocument($0.device, $0.result) }, leftOut: leftOut)
    }

    /// The cameras for which the command succeeded.
    var names: [String]? { outcomes.filter { $0.failure == nil }.map(\.device.description) }
    var failures: [String] { outcomes.compactMap { outcome in outcome.failure.map { "\(outcome.device): \($0)" } } }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("DEVICE", .left, .end(8)), .init("STATE"), .init("FORMAT", dropped: 1),
            .init("CHANGE OR REASON", .left, .wrap(20)),
        ]
        return Table(columns: columns, rows: outcomes.map(row)).rendered(layout) + LeftOutDevices.remark(leftOut)
    }

    /// Complete if the command succeeded for every camera, failed if for none.
    var status: CommandStatus {
        let failures = outcomes.compactMap(\.failure)
        guard let first = failures.first else { return .complete }
        return failures.count < outcomes.count ? .partial : CommandStatus(of: first)
    }

    private func row(_ outcome: SessionOutcome) -> [String] {
        switch outcome.result {
        case .success(let result):
            let notes = result.changes + [result.condition.reason].compactMap(\.self)
            return [
                outcome.device.description, result.condition.state.rawValue,
                result.condition.format?.description ?? "-", notes.joined(separator: "; "),
            ]
        case .failure(let error):
            return [outcome.device.description, "refused", "-", error.description]
        }
    }
}

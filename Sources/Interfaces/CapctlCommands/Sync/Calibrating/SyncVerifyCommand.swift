internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments
internal import ScreenTiming

/// `capctl sync verify`.
struct SyncVerifyCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "verify", abstract: "Check with a screen that the stamps of cameras are as exact as they claim.",
        discussion: """
            Measures like `capctl sync calibrate`, and compares with the error bound that each camera's stamps have by their \
            configuration. Exit status 3 if a camera's stamps are further off. Several cameras at one screen are compared with each other too.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl sync verify --all --times times.json", needs: "a screen")
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: NamelessFormatOptions
    @OptionGroup(title: "Which cameras") var cameras: SelectionOptions
    @OptionGroup(title: "Which screen") var screen: ScreenOptions

    func validate() throws { try SyncCommand.requireSelection(cameras) }

    func perform(_ console: Console) async throws -> CommandStatus {
        let (options, selection) = (screen, cameras.selection)
        let report = try await rig.withClient { client in
            let (found, lag) = try await StopSignals.untilStopped("interrupted; nothing was changed") {
                try await ScreenRunner(options: options).run(selection, client, console)
            }
            return ScreenVerificationReport(cameras: found, lag: lag)
        }
        try output.show(report, on: console)
        return report.status
    }
}

/// Whether stamps are as exact as they claim.
struct ScreenVerificationReport: Report {
    var cameras: [ScreenCalibration]
    /// What is known of the screen's lag beforehand.
    var lag: ScreenLag

    /// The cameras whose stamps are further off than they claim, or further off from those of the cameras that were measured with them. To
    /// the latter, the lag seems to be off by what they share.
    var drifted: Set<DeviceID> {
        let groups = Dictionary(grouping: cameras.filter { $0.sharedError != nil }) { $0.sharedError?.measurement }
        return groups.values.reduce(into: Self.disagreeing(cameras, on: lag) { $0.stampBound }) { drifted, group in
            let shared = group.compactMap { $0.sharedError?.bound }.max() ?? .zero
            drifted.formUnion(
                Self.disagreeing(group, on: lag.widened(by: shared)) { camera in
                    max(.zero, camera.stampBound - (camera.sharedError?.bound ?? .zero))
                })
        }
    }

    /// Returns the cameras that do not agree with every lag with which as many as possible do: the lags with which a camera's stamps are
    /// within their bound. If only two cameras disagree, it may be either.
    private static func disagreeing(
        _ cameras: [ScreenCalibration], on lag: ScreenLag, _ bound: (ScreenCalibration) -> Duration
    ) -> Set<DeviceID> {
        var allowed: [DeviceID: ScreenLag] = [:]
        for camera in cameras {
            guard let timing = camera.timing else { continue }
            let (middle, error) = (.zero - timing.correction, timing.error + bound(camera))
            allowed[camera.device] = ScreenLag(least: middle - error, most: middle + error)
        }
        let candidates = ([lag.least, lag.most] + allowed.values.flatMap { [$0.least, $0.most] })
            .filter { lag.least <= $0 && $0 <= lag.most }
        func agreeing(_ value: Duration) -> Set<DeviceID> {
            Set(allowed.filter { $0.value.least <= value && value <= $0.value.most }.keys)
        }
        let groups = candidates.map(agreeing)
        let most = groups.map(\.count).max() ?? 0
        let all = Set(allowed.keys)
        return all.subtracting(groups.filter { $0.count == most }.reduce(all) { $0.intersection($1) })
    }

    /// Complete if every camera was measured and none has drifted.
    var status: CommandStatus {
        let measured = cameras.count { $0.timing != nil }
        return measured == 0 ? .failed : measured == cameras.count && drifted.isEmpty ? .complete : .partial
    }

    var document: ScreenVerificationDocument {
        let drifted = drifted
        return ScreenVerificationDocument(
            cameras: cameras.map { camera in
                ScreenVerificationDocument.Camera(
                    camera.device, bound: camera.stampBound,
                    off: camera.timing.map { timing in timing.latency(lag) },
                    verdict: camera.timing == nil ? .notMeasured : drifted.contains(camera.device) ? .drifted : .good,
                    problem: camera.problem)
            })
    }

    func table(_ layout: TextLayout) -> String {
        let drifted = drifted
        let columns: [Table.Column] = [
            .init("CAMERA", .left, .end(8)), .init("OFF BY", .right), .init("UNCERTAIN"), .init("CLAIMS"),
            .init("VERDICT", .left, .wrap(20)),
        ]
        let rows = cameras.map { camera -> [String] in
            let claim = "± \(ScreenCalibrationReport.text(camera.stampBound))"
            guard let timing = camera.timing else {
                return ["\(camera.device)", "-", "-", "-", Table.printable(camera.problem ?? "")]
            }
            let (correction, uncertainty) = timing.latency(lag)
            return [
                "\(camera.device)", ScreenCalibrationReport.text(.zero - correction),
                "± \(ScreenCalibrationReport.text(uncertainty))", claim,
                drifted.contains(camera.device)
                    ? "further off than it claims; repeat `capctl sync calibrate` with this exposure and format"
                    : "good",
            ]
        }
        return Table(columns: columns, rows: rows).rendered(layout)
    }
}

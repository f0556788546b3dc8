internal import ArgumentParser
internal import CameraSettings
internal import CaptureModel
internal import PosixSupport
internal import RigClient
internal import RigDocuments
internal import ScreenTiming
internal import SystemClock

/// `capctl sync calibrate`.
struct SyncCalibrateCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Measure how late cameras stamp their pictures, with a screen that they see.",
        discussion: """
            The screen switches between black and white at known times: open the page /screen.html of the gateway, or have something \
            show the sequence by the rig's clock. The cameras must stream, see the screen large, and expose manually, as for pictures. \
            Prints what to put into the configuration of each node; with --apply, the nodes apply it at once. All cameras share \
            the screen's unknown lag, so that it is part of the uncertainty unless --screen-lag, --led or --reference tells it. It does \
            not count between pictures of cameras that were measured in one run.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl sync calibrate --all --times times.json", needs: "a screen"),
        .shown("capctl sync calibrate --all --times times.json --screen-lag 12±2ms --apply", needs: "a screen"),
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: NamelessFormatOptions
    @OptionGroup(title: "Which cameras") var cameras: SelectionOptions
    @OptionGroup(title: "Which screen") var screen: ScreenOptions

    @Flag(help: "Ask, and have the nodes open the cameras again with these corrections, and keep them.")
    var apply = false

    @Flag(help: "Do not ask.")
    var yes = false

    func validate() throws {
        try SyncCommand.requireSelection(cameras)
        guard apply || !yes else { throw ValidationError("--yes answers the question of --apply; give both.") }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let (options, selection) = (screen, cameras.selection)
        return try await rig.withClient { client in
            let (found, lag) = try await StopSignals.untilStopped("interrupted; nothing was changed") {
                try await ScreenRunner(options: options).run(selection, client, console)
            }
            let report = ScreenCalibrationReport(
                cameras: found.filter { $0.device != options.reference }, lag: lag,
                measurement: MeasurementID.fresh(at: SystemTimeSource()), day: Self.today, isApplied: apply)
            try output.show(report, on: console)
            guard apply, !report.corrections.isEmpty else { return report.status }
            try confirm(report.corrections.count, console)
            return try await takeOver(report, client, console)
        }
    }

    private func confirm(_ cameras: Int, _ console: Console) throws {
        guard !yes else { return }
        let corrections = cameras == 1 ? "its correction" : "their corrections"
        try console.requireAgreement(
            "Open \(cameras.counted("camera")) again with \(corrections)?", refused: "nothing was changed",
            yes: "apply without a question")
    }

    /// A camera that is refused does not keep the others from being corrected.
    private func takeOver(
        _ report: ScreenCalibrationReport, _ client: RigClient, _ console: Console
    ) async throws -> CommandStatus {
        var refused = 0
        for (device, correction) in report.corrections {
            do throws(RigClientError) {
                let result = try await client.keepStamps(of: device, correction)
                console.note("\(device): corrected; \(result.changes.joined(separator: "; "))\n")
            } catch {
                guard case .refused = error.code else { throw error }
                // The node may have been lost after it carried out the request, which the error says.
                console.note(
                    "\(device): no correction is confirmed: \(error)\n\(report.configurationLines(device, correction))")
                refused += 1
            }
        }
        if refused == 0 { return report.status }
        return refused == report.corrections.count ? .failed : .partial
    }
}

extension SyncCalibrateCommand {
    /// UTC.
    private static var today: CalendarDay? {
        let now = SystemTimeSource().wallClockPair().realtimeNanoseconds
        return CalendarDay(String(UTCDate(realtimeNanoseconds: now).description.prefix(10)))
    }
}

/// What cameras at a screen have told, and what follows for their configurations.
struct ScreenCalibrationReport: Report {
    var cameras: [ScreenCalibration]
    var lag: ScreenLag
    /// That of all these cameras at once; nil if they share no error.
    var measurement: MeasurementID?
    /// The day of the measurement, UTC.
    var day: CalendarDay?
    /// Whether the nodes take the corrections over, so that nothing is to be written into configurations.
    var isApplied = false

    /// Complete if every camera was measured.
    var status: CommandStatus {
        let good = cameras.count { $0.timing != nil }
        return good == 0 ? .failed : good == cameras.count ? .complete : .partial
    }

    /// What to configure, of the cameras of which there is something.
    var corrections: [(device: DeviceID, correction: StampCorrection)] {
        cameras.compactMap { camera in correction(camera).map { (device: camera.device, correction: $0) } }
    }

    /// What to configure of a camera; nil if nothing.
    private func correction(_ camera: ScreenCalibration) -> StampCorrection? {
        guard let timing = camera.timing, var stamps = camera.stamps?.correction else { return nil }
        let (correction, uncertainty) = timing.latency(lag)
        stamps.latencyOffset += correction
        stamps.uncertainty = uncertainty
        stamps.measuredExposure = camera.exposure
        stamps.measuredFormat = camera.details?.condition.format?.description
        stamps.measuredOn = day
        // All are off by how far the lag is from its middle.
        stamps.sharedError = lag.halfWidth > .zero ? measurement.map { SharedError($0, bound: lag.halfWidth) } : nil
        return stamps
    }

    var document: ScreenCalibrationDocument {
        ScreenCalibrationDocument(
            cameras: cameras.map { camera in
                ScreenCalibrationDocument.Camera(
                    camera.device, camera.details, exposureMode: camera.exposureMode,
                    timing: camera.timing.map { timing in
                        let (correction, uncertainty) = timing.latency(lag)
                        return ScreenCalibrationDocument.Timing(
                            blur: timing.blur, clock: timing.clock, correction: correction, fit: timing.fit,
                            jitter: timing.jitter, pictures: timing.pictures, relative: timing.correction,
                            rows: timing.rows, rowsError: timing.rowsError, scan: timing.scan,
                            switches: timing.switches, uncertainty: uncertainty)
                    }, stamps: correction(camera), problem: camera.problem)
            }, least: lag.least, most: lag.most)
    }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("CAMERA", .left, .end(8)), .init("LATE BY", .right), .init("UNCERTAIN"),
            .init("WITHOUT LAG", .left, dropped: 2), .init("ROWS", .right, dropped: 3),
            .init("SWITCHES", .right, dropped: 4),
            .init("PROBLEM", .left, .wrap(20)),
        ]
        let rows = cameras.map { camera -> [String] in
            guard let timing = camera.timing else {
                return ["\(camera.device)", "-", "-", "-", "-", "-", Table.printable(camera.problem ?? "")]
            }
            let (correction, uncertainty) = timing.latency(lag)
            return [
                "\(camera.device)", Self.text(.zero - correction), "± \(Self.text(uncertainty))",
                "± \(Self.text(timing.uncertainty))", timing.rows.map(Self.text) ?? "-", "\(timing.switches)",
                Table.printable(camera.problem ?? ""),
            ]
        }
        return Table(columns: columns, rows: rows).rendered(layout) + "\n" + lagText + lines
    }

    private var lagText: String {
        lag.halfWidth == .zero
            ? ""
            : "The screen's lag is taken for \(Self.text(lag.least)) to \(Self.text(lag.most)). It is the same for all these cameras, "
                + "so they differ by what they differ here, within their uncertainties without it. "
                + "The bound of the spread of a shot uses that.\n"
    }

    /// The lines of the configurations, node by node.
    private var lines: String {
        let found = isApplied ? [] : corrections
        let nodes = Set(found.map(\.device.node)).sorted()
        let exact = cameras.filter { $0.timing != nil && $0.stamps != nil && $0.stamps?.correction == nil }
        let none = exact.map { "\($0.device) has stamps that need no correction.\n" }.joined()
        return none
            + nodes.map { node in
                "\nIn /etc/caprig/agent.yaml of node '\(node)'; `systemctl restart capagentd` takes it over:\n\n"
                    + found.filter { $0.device.node == node }.map { configurationLines($0.device, $0.correction) }
                    .joined()
            }.joined()
    }

    /// The lines of a camera's configuration.
    func configurationLines(_ device: DeviceID, _ stamps: StampCorrection) -> String {
        var text =
            "  - name: \(device.device)\n    latencyOffset: \(Self.configured(stamps.latencyOffset, up: false))\n"
        if let uncertainty = stamps.uncertainty {
            text += "    uncertainty: \(Self.configured(uncertainty, up: true))\n"
        }
        if let exposure = stamps.measuredExposure {
            text += "    measuredExposure: \(Self.configured(exposure, up: false))\n"
        }
        if let format = stamps.measuredFormat { text += "    measuredFormat: \(format)\n" }
        if let day = stamps.measuredOn { text += "    measuredOn: \(day)\n" }
        if let origin = stamps.measuredStamps { text += "    measuredStamps: \(origin.rawValue)\n" }
        if let shared = stamps.sharedError {
            text += "    measurement: \(shared.measurement)\n"
            text += "    sharedUncertainty: \(Self.configured(shared.bound, up: false))\n"
        }
        return text
    }

    /// A duration as configurations have it, in whole microseconds.
    private static func configured(_ duration: Duration, up: Bool) -> String {
        "\((duration.nanoseconds + (up ? 999 : 0)) / 1000) us"
    }

    static func text(_ duration: Duration) -> String {
        (duration < .zero ? "-" : "") + Decimals.text(duration.magnitude.seconds * 1000, digits: 2) + " ms"
    }
}

extension ScreenCalibration {
    /// Of the camera, in the words of settings; nil if it has no control for it.
    fileprivate var exposureMode: String? {
        guard let details, let capabilities = details.capabilities else { return nil }
        return SettableCamera(details, capabilities, catalogue: .shipped).supportedSettings
            .first { $0.setting == .exposureMode }?.current?.description
    }
}

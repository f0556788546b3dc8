internal import ArgumentParser
internal import CameraSettings
internal import CaptureModel
internal import RigClient
internal import RigDocuments

internal import class PosixSupport.Locked

/// `capctl settings calibrate`.
struct SettingsCalibrateCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "calibrate",
        abstract:
            "Measure how many frames late the exposure time and the gain of cameras act, by the brightness of their pictures.",
        discussion: """
            Each control is set up and down until 20 steps were seen in the pictures, then gets its value back. The camera must stream, see \
            a scene that is neither dark nor white, under steady light, and expose manually. Its node keeps the delays for all its cameras of this model in this \
            format. Later settings are set so much earlier that they act at their instant.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl settings calibrate --device node1/cam1", needs: "minutes"),
        .shown("capctl settings calibrate --all --control exposure_time_absolute", needs: "minutes"),
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: NamelessFormatOptions
    @OptionGroup(title: "Which cameras") var cameras: SelectionOptions

    @Option(
        help: ArgumentHelp(
            "A control by its driver's name (all of exposure time and gain that the camera has).", valueName: "name"))
    var control: [String] = []

    func validate() throws {
        guard !cameras.isEmpty else {
            throw ValidationError("Select cameras: --all, or any of --type, --position, --node, --device, --label.")
        }
        for name in control where !CalibrationSteps.controls.contains(name) {
            throw ValidationError(
                "Pictures do not show '\(name)'; only \(CalibrationSteps.controls.joined(separator: ", ")).")
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let names = control.isEmpty ? CalibrationSteps.controls : control
        let (report, isInterrupted) = try await rig.withClient { client in
            let (ids, _) = try await MatchOptions.cameras(of: cameras.selection, client)
            console.progress("measuring \(ids.count) cameras")
            let progress = Locked(CalibrationProgress(count: ids.count))
            let runner = CalibrationRunner(rig: ConnectedCalibrationRig(client: client)) { event in
                progress.withLock { console.progress($0.note(event)) }
            }
            let (results, isInterrupted) = try await StopSignals.puttingBack(console) {
                await runner.calibrate(ids, names)
            }
            console.endProgress()
            return (CalibrationReport(cameras: results), isInterrupted)
        }
        try output.show(report, on: console)
        return isInterrupted ? .interrupted : report.status
    }
}

/// What has become of a calibration, for people and programs.
struct CalibrationReport: Report {
    var cameras: [CameraCalibration]

    var document: CalibrationDocument {
        CalibrationDocument(
            cameras: cameras.map { camera in
                CalibrationDocument.Camera(
                    device: camera.device.description, file: camera.file, problem: camera.problem,
                    controls: camera.controls.map { control in
                        CalibrationDocument.Control(
                            name: control.name, samples: control.samples, delay: control.delay, problem: control.problem
                        )
                    })
            })
    }

    /// Complete if every control of every camera was measured and kept.
    var status: CommandStatus {
        let good = cameras.count { $0.file != nil }
        if good == 0 { return .failed }
        let isComplete = cameras.allSatisfy { camera in
            camera.file != nil && camera.controls.allSatisfy { $0.problem == nil }
        }
        return isComplete ? .complete : .partial
    }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("CAMERA", .left, .end(8)), .init("CONTROL", .left, .end(10)), .init("STEPS", .right),
            .init("FRAMES LATE"), .init("PROBLEM", .left, .wrap(20)),
        ]
        let rows = cameras.flatMap { camera in
            let lines = camera.controls.map { control in
                [
                    control.name, "\(control.samples)", control.delay.map { "\($0.fewest) to \($0.most)" } ?? "-",
                    control.problem ?? "",
                ]
            }
            let all = lines.isEmpty || camera.problem != nil ? lines + [["-", "-", "-", camera.problem ?? ""]] : lines
            return all.enumerated().map { index, line in [index == 0 ? "\(camera.device)" : ""] + line }
        }
        let files = cameras.compactMap { camera in camera.file.map { "\(camera.device.node): \(Table.printable($0))\n" }
        }
        return Table(columns: columns, rows: rows).rendered(layout) + files.joined()
    }
}

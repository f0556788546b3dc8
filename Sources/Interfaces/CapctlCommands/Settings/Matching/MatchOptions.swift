internal import ArgumentParser
internal import CaptureModel
internal import Foundation
internal import RigClient
internal import RigMatching
internal import SystemClock

internal import class PosixSupport.Locked

/// What `settings match` and `settings lock` share: how pictures are measured, and where small ones go.
struct MatchOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The part of the picture that is measured, as x,y,width,height in shares from the top left (the middle third).",
            valueName: "x,y,w,h"),
        transform: MatchOptions.region)
    var target: PictureRegion?

    @Option(
        help: ArgumentHelp("How far red, green and blue may be off.", valueName: "percent"),
        transform: MatchOptions.tolerance)
    var tolerance = 0.03

    @Option(help: ArgumentHelp("Frames whose mean is measured, 1 to 64, so that flickering light averages out."))
    var frames = 30

    @Option(help: ArgumentHelp("Write small pictures before and after into this folder.", valueName: "folder"))
    var pictures: String?

    func validate() throws {
        guard (1...MeasureRequest.frameLimit).contains(frames) else {
            throw ValidationError("--frames must be 1 to \(MeasureRequest.frameLimit).")
        }
    }

    static func region(_ text: String) throws -> PictureRegion {
        let shares = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard shares.count == 4, let x = shares[0], let y = shares[1], let width = shares[2], let height = shares[3],
            let region = PictureRegion(x: x, y: y, width: width, height: height)
        else {
            throw ValidationError("'\(text)' is not a part of the picture, such as 0.4,0.4,0.2,0.2")
        }
        return region
    }

    static func tolerance(_ text: String) throws -> Double {
        guard let percent = Double(text.hasSuffix("%") ? text.dropLast() : text[...]),
            MatchRequest.tolerances.contains(percent / 100)
        else {
            throw ValidationError("'\(text)' is not a tolerance from 0.1% to 50%")
        }
        return percent / 100
    }

    func request(_ goal: MatchRequest.Goal) -> MatchRequest {
        MatchRequest(
            goal, region: target ?? .center, frames: frames, tolerance: tolerance, wantsPictures: pictures != nil)
    }

    /// The cameras of a selection, and all devices of the rig.
    static func cameras(
        of selection: Selection, _ client: RigClient
    ) async throws -> (cameras: [DeviceID], devices: [DeviceStatus]) {
        let devices = try await client.devices()
        do throws(EmptySelection) {
            let chosen = try selection.evaluate(
                devices.map { SelectionCandidate(device: $0.device, condition: $0.condition) })
            return (chosen.map(\.id), devices)
        } catch {
            throw CommandFailure(.nothingSelected, "\(error)")
        }
    }

    /// Carries a request out with the cameras of a selection, and writes their small pictures.
    func report(
        _ request: MatchRequest, _ selection: Selection, _ rig: RigOptions, _ console: Console, _ doing: String
    ) async throws -> MatchReport {
        let report = try await rig.withClient { client in
            let (cameras, devices) = try await Self.cameras(of: selection, client)
            if let reference = request.reference, !devices.contains(where: { $0.device.id == reference }) {
                let question = Spelling.question(for: "\(reference)", among: devices.map { "\($0.device.id)" })
                throw CommandFailure(
                    .nothingSelected,
                    "the rig has no camera '\(reference)'\(question); `capctl devices` lists the cameras")
            }
            console.progress("\(doing) \(cameras.count) cameras")
            let run = SettingsRunID.fresh(at: SystemTimeSource())
            let set = Locked([SettingsID]())
            let connected = ConnectedMatchingRig(client: client, devices: devices, run: run) { id in
                set.withLock { $0.append(id) }
            }
            let runner = MatchRunner(request, on: connected)
            let (report, isInterrupted) = try await StopSignals.puttingBack(console) {
                await runner.run(cameras) { report in
                    let ended = report.cameras.count { $0.outcome != nil }
                    console.progress("\(doing): \(ended) of \(report.cameras.count) cameras have ended")
                }
            }
            console.endProgress()
            guard !isInterrupted else { throw await Self.restore(run, set.withLock(\.self), client) }
            return report
        }
        try write(report.all)
        return report
    }

    /// Undoes what was set.
    /// - Parameter transactions: Those of the run that may have set cameras, oldest first.
    private static func restore(
        _ run: SettingsRunID, _ transactions: [SettingsID], _ client: RigClient
    ) async -> CommandFailure {
        let undo = RunUndo(run: run, transactions: transactions) { scope in
            try await client.apply(SettingsRequest(id: .fresh(at: SystemTimeSource()), origin: .undo(scope)))
        }
        let problems = await undo.problems()
        let end =
            problems.isEmpty
            ? "the cameras have their values of before"
            : "not all values could be put back: \(problems.joined(separator: "; "))"
        return CommandFailure(.interrupted, "interrupted; \(end)")
    }

    /// Writes the small pictures of cameras.
    /// - Throws: If the folder or a file cannot be written.
    private func write(_ cameras: [MatchResult]) throws {
        guard let pictures else { return }
        do {
            try FileManager.default.createDirectory(atPath: pictures, withIntermediateDirectories: true)
            for camera in cameras {
                for (name, measurement) in [("before", camera.before), ("after", camera.after)] {
                    guard let picture = measurement?.picture else { continue }
                    let file = "\(pictures)/\(camera.device.node).\(camera.device.device).\(name).jpg"
                    try Data(picture).write(to: URL(fileURLWithPath: file))
                }
            }
        } catch {
            throw CommandFailure(
                .other,
                "the pictures cannot be written to \(pictures): \(error.localizedDescription); the cameras are set")
        }
    }
}

internal import ArgumentParser
internal import CaptureModel
internal import Foundation
internal import RigClient
internal import RigDocuments

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
        guard let percent = Double(text.hasSuffix("%") ? text.dropLast() : text[...]), (0.1...50).contains(percent)
        else {
            throw ValidationError("'\(text)' is not a tolerance from 0.1% to 50%")
        }
        return percent / 100
    }

    /// The cameras of a selection, and how long each takes from frame to frame.
    static func cameras(
        of selection: Selection, _ client: RigClient
    ) async throws -> (ids: [DeviceID], intervals: [DeviceID: Duration]) {
        let devices = try await client.devices()
        do throws(EmptySelection) {
            let chosen = try selection.evaluate(
                devices.map { SelectionCandidate(device: $0.device, condition: $0.condition) })
            let intervals = devices.compactMap { status in
                status.condition.format.map { (status.device.id, $0.frameInterval) }
            }
            return (chosen.map(\.id), Dictionary(intervals, uniquingKeysWith: { first, _ in first }))
        } catch {
            throw CommandFailure(.nothingSelected, "\(error)")
        }
    }

    /// Writes the small pictures of cameras.
    /// - Throws: If the folder or a file cannot be written.
    func write(_ cameras: [MatchResult]) throws {
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

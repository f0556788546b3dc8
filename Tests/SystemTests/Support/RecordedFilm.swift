import CaptureModel
import CaptureTestSupport
import Foundation

/// A recording for the programs to play: a folder of images that know their numbers.
///
/// By docs/file-camera.md, image *i* is shown at the instant `i · interval` of each cycle of all images, which are counted from the zero of
/// the node's clock.
struct RecordedFilm: StandIn {
    private let folder: TemporaryFolder
    private static let count: Int64 = 200
    private static let interval: Int64 = 100_000_000

    init() throws {
        folder = try TemporaryFolder()
        for number in 0..<Int(Self.count) {
            try folder.write(try StandInPicture.jpeg(number, comment: "image \(number)"), as: "\(number).jpg")
        }
    }

    func camera(_ name: String, number: Int) -> NodePlan.Camera {
        var camera = NodePlan.Camera(name: name, number: number)
        camera.source = "{ file: { path: \(folder.path), framesPerSecond: 10 } }"
        return camera
    }

    /// The instant of the image in the cycle of what the rig says.
    func truth(of picture: StoredPicture) throws -> RigTime {
        let cycle = Self.count * Self.interval
        let place = try StandInPicture.numbers(1, in: picture.bytes)[0] * Self.interval
        let cycles = (picture.told.nanoseconds - place + cycle / 2) / cycle
        return RigTime(nanoseconds: cycles * cycle + place)
    }

    /// Does nothing: the agent plays it.
    func stop() {}
}

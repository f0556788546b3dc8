internal import ArgumentParser
internal import CaptureModel
internal import Foundation
internal import Glibc
internal import RigDocuments
internal import RigWire

/// Chooses the cameras of a command about live pictures.
enum StreamedCameras {
    /// The named cameras of `roster`, in the roster's order; without names, every camera that has live pictures.
    /// - Throws: If a name is not a camera of the roster, or its camera streams a sensor's mosaic, which has no live
    ///   pictures. Without names: if no camera has live pictures.
    static func of(_ roster: [DeviceStatus], named names: [DeviceID]) throws(CommandFailure) -> [DeviceStatus] {
        let cameras = roster.filter { $0.device.mediaType == .video }
        guard !names.isEmpty else { return try withLivePictures(cameras) }
        let unknown = Set(names).subtracting(cameras.map(\.device.id)).sorted()
        guard unknown.isEmpty else {
            let refusal = EmptySelection(existing: cameras.map(\.device), unknown: unknown.map { "camera '\($0)'" })
            throw CommandFailure(.nothingSelected, "\(refusal)")
        }
        let meant = cameras.filter { names.contains($0.device.id) }
        if let problem = meant.lazy.compactMap(\.livePictureProblem).first { throw CommandFailure(.failed, problem) }
        return meant
    }

    /// The cameras to measure: the named ones, or those that run.
    /// - Throws: As ``of(_:named:)``; without names also if no camera with live pictures runs.
    static func measured(of roster: [DeviceStatus], named names: [DeviceID]) throws(CommandFailure) -> [DeviceID] {
        let cameras = try of(roster, named: names)
        let meant = names.isEmpty ? cameras.filter { $0.condition.state == .running } : cameras
        guard meant.isEmpty else { return meant.map(\.device.id) }
        let mosaics = roster.filter { $0.condition.state == .running && isMosaic($0) }.map(\.device.id.description)
        let reason =
            mosaics.isEmpty
            ? "no camera runs"
            : "the only cameras that run stream their sensor's mosaic, of which there are no live pictures "
                + "(\(mosaics.joined(separator: ", ")))"
        throw CommandFailure(.nothingSelected, "\(reason); `capctl devices` shows why the others do not")
    }

    private static func withLivePictures(_ cameras: [DeviceStatus]) throws(CommandFailure) -> [DeviceStatus] {
        let found = cameras.filter { !isMosaic($0) }
        guard found.isEmpty else { return found }
        throw CommandFailure(
            .nothingSelected,
            cameras.isEmpty
                ? "the rig has no camera; `capctl status` shows which nodes it knows"
                : "every camera streams its sensor's mosaic, of which there are no live pictures; take stills to "
                    + "see their pictures: `capctl trigger --all --raw+jpeg`")
    }

    private static func isMosaic(_ status: DeviceStatus) -> Bool { status.livePictureProblem != nil }
}

/// The destination of `capctl preview`: standard output or a file.
final class FrameSink {
    private let handle: FileHandle
    private let name: String

    /// - Parameter path: A file, created or truncated; nil for standard output.
    /// - Throws: ``CommandFailure`` if the file cannot be created, or standard output is a terminal.
    init(path: String?) throws {
        guard let path else {
            guard isatty(STDOUT_FILENO) == 0 else {
                throw CommandFailure(
                    .other,
                    "pictures cannot be written to a terminal; give a file with --output, or pipe them: | ffplay -f mjpeg -"
                )
            }
            (handle, name) = (.standardOutput, "standard output")
            return
        }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CommandFailure(.other, "\(path) cannot be written; check the folder and its permissions")
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        name = path
    }

    /// Blocks until the bytes are written.
    func write(_ bytes: [UInt8]) throws {
        do {
            try handle.write(contentsOf: Data(bytes))
        } catch {
            throw CommandFailure(.other, "\(name) cannot be written: \(error)")
        }
    }
}

/// A size on a command line: `640x360`.
struct PictureSize: Hashable, ExpressibleByArgument {
    var width: Int
    var height: Int

    init?(argument: String) {
        let sides = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1], (1...65_535).contains(width),
            (1...65_535).contains(height)
        else { return nil }
        (self.width, self.height) = (width, height)
    }

    /// The largest kind of a camera's pictures that is not above this size; the smallest kind if all are above.
    func kind(of format: VideoFormat) -> FrameKind {
        let kinds: [FrameKind] = [.full, .half, .quarter, .eighth]
        return kinds.first { kind in
            let divisor = kind.divisor ?? 1
            return (format.width + divisor - 1) / divisor <= width && (format.height + divisor - 1) / divisor <= height
        } ?? .eighth
    }
}

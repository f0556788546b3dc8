import CameraKit
import CaptureModel
import PosixSupport

/// What a virtual camera really did, as a file of lines of JSON: what a test needs to judge what is said of its pictures.
/// `docs/virtual-camera.md` lists the lines.
///
/// A line is written before its frame can be delivered, and before its control is accepted, so that it outlasts a kill. Each
/// write blocks for the time of a short write to the kernel's buffers. Usable from any thread.
final class VirtualTruth: Sendable {
    private let path: String
    private let file = Locked<OpenFile?>(nil)

    /// - Parameter path: Absolute. The file is created if it is missing; its folder must exist.
    init(_ path: String) {
        self.path = path
    }

    /// A stream was opened.
    func begin(_ stream: StreamName, at instant: LocalTime) throws(PosixError) {
        try append("{\"open\":\"\(stream.rawValue)\",\"at\":\(instant.nanoseconds)}\n")
    }

    /// A control is being accepted.
    func set(_ control: VirtualControl, _ value: Int64, was: Int64, at instant: LocalTime) throws(PosixError) {
        try append(
            "{\"set\":\"\(control.rawValue)\",\"value\":\(value),\"was\":\(was),\"at\":\(instant.nanoseconds)}\n")
    }

    /// A frame was planned, and will be exposed with these settings.
    func expose(
        _ exposure: Exposure, _ settings: VirtualSettings, _ stream: StreamName
    ) throws(PosixError) {
        let controls = VirtualControl.all(of: settings.configuration)
            .map { "\"\($0.rawValue)\":\(settings.values[$0])" }.joined(separator: ",")
        try append(
            "{\"frame\":\(exposure.sequence),\"stream\":\"\(stream.rawValue)\","
                + "\"midExposure\":\(exposure.midExposure.nanoseconds),\"exposure\":\(exposure.length.nanoseconds),"
                + "\"brightness\":\(settings.brightness(exposure: exposure.length)),\"controls\":{\(controls)}}\n")
    }

    private func append(_ line: String) throws(PosixError) {
        try file.withLock { file throws(PosixError) in
            if file == nil { file = try open() }
            try file?.write(Array(line.utf8))
        }
    }

    private func open() throws(PosixError) -> OpenFile {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        let folder = try Folder(opening: end == path.startIndex ? "/" : String(path[..<end]))
        return try folder.open(String(path[end...].drop { $0 == "/" }), for: .appending)
    }
}

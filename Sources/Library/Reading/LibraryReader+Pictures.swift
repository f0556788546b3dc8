public import CaptureModel
internal import CaptureSystem
public import PosixSupport

extension LibraryReader {
    /// Opens a file of a shot for reading; nil where it is not there.
    /// - Parameter day: As ``LibraryDay/path``.
    public func file(_ key: FileKey, day: String) throws(CaptureProblem) -> OpenFile? {
        guard let dayFolder = try folder(ofDay: day) else { return nil }
        return try dayFolder.attempt { () throws(PosixError) in
            guard let shot = try dayFolder.folderIfPresent(key.capture.shot.description),
                let camera = try shot.folderIfPresent(key.capture.device.folderName),
                try camera.entry(key.kind.fileName) != nil
            else { return nil }
            return try camera.open(key.kind.fileName, for: .reading)
        }
    }
}

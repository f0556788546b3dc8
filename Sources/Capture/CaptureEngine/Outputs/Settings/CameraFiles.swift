public import CameraSettings
import CaptureModel
public import PosixSupport

/// The files of cameras whose delays were measured at this node: in a folder of it, beside those that are part of the
/// program. One for each model, firmware, format and frame rate.
public actor CameraFiles {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private nonisolated let executor: ThreadExecutor
    private let folder: Folder
    private let path: String
    private nonisolated let files: Locked<[String: CameraPeculiarities]>

    private static let byteLimit = 1 << 20
    private static let ending = ".yaml"
    private static let fileLimit = 256

    /// Reads the files. One with a mistake counts as absent.
    /// - Parameters:
    ///   - path: The folder; it is created if it is missing.
    ///   - executor: The thread that reads and writes.
    public init(path: String, executor: ThreadExecutor) throws(PosixError) {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        let parent = try Folder(opening: String(path[..<end]))
        let folder = try parent.makeFolder(String(path[end...].drop { $0 == "/" }))
        (self.path, self.executor, self.folder) = (path, executor, folder)
        var files: [String: CameraPeculiarities] = [:]
        for name in try folder.names().sorted().prefix(Self.fileLimit) where name.hasSuffix(Self.ending) {
            guard let bytes = try? folder.read(name, limit: Self.byteLimit) else { continue }
            files[name] = try? CameraPeculiarities(parsing: String(decoding: bytes, as: UTF8.self), file: name)
        }
        self.files = Locked(files)
    }

    public nonisolated var catalogue: CameraCatalogue {
        CameraCatalogue(files.withLock { files in files.sorted { $0.key < $1.key }.map(\.value) })
    }

    /// Stores delays durably, and uses them from here on. Those of other controls stay.
    /// - Returns: The path of the file.
    /// - Throws: `noMemory` with ``fileLimit`` files; `unsupportedSettings` if the file says more than delays, which
    ///   would be lost; `noSpace`, `inputOutput`.
    func keep(
        _ delays: [String: FrameDelay], of match: CameraMatch, source: String
    ) throws(RigProblem) -> String {
        let known = files.withLock { files in files.first { $0.value.match == match }.map { ($0.key, $0.value) } }
        let name = known?.0 ?? unusedName(for: match)
        if let camera = known?.1, !camera.curves.isEmpty || !camera.inverted.isEmpty || camera.toneCurve != nil {
            throw RigProblem(
                .unsupportedSettings,
                "\(path)/\(name) says more about the camera than delays, and is not overwritten: add delayFrames there by hand"
            )
        }
        let all = (known?.1.delays ?? [:]).merging(delays) { $1 }
        let text = CameraPeculiarities.text(of: match, all, source: source)
        guard let written = try? CameraPeculiarities(parsing: text, file: name) else {
            throw RigProblem(
                .unsupportedSettings,
                "make and model, \(match.make ?? "") \(match.model), cannot be written into a file of cameras")
        }
        guard known != nil || files.withLock({ $0.count }) < Self.fileLimit else {
            throw RigProblem(.noMemory, "\(path) has \(Self.fileLimit) files of cameras already; remove some")
        }
        do throws(PosixError) {
            try folder.publish([Array(text.utf8)], as: name)
        } catch {
            throw RigProblem(.inputOutput, "\(path)/\(name) cannot be written: \(error)")
        }
        files.withLock { $0[name] = written }
        return "\(path)/\(name)"
    }

    private func unusedName(for match: CameraMatch) -> String {
        let words = [match.make, match.model, match.firmware, match.format].compactMap(\.self).joined(separator: "-")
        let letters = words.lowercased().prefix(80).map { character in
            character.isASCII && (character.isLetter || character.isNumber) ? character : "-"
        }
        let base = String(letters)
        let taken = files.withLock { Set($0.keys) }
        let numbers = (1...Self.fileLimit + 1).lazy.map { $0 == 1 ? "" : "-\($0)" }
        // A file with a mistake is not overwritten.
        func isUnused(_ name: String) -> Bool { !taken.contains(name) && (try? folder.entry(name)) == nil }
        return numbers.map { base + $0 + Self.ending }.first(where: isUnused) ?? base + Self.ending
    }
}

extension SessionServices {
    /// Returns what is known of a camera: what files of the program say, and the delays that were measured at this node.
    /// - Parameter format: That of its stream.
    func peculiarities(make: String?, model: String?, in format: VideoFormat?) -> CameraPeculiarities? {
        let shipped = cameras.peculiarities(make: make, model: model, format: format?.settingText)
        let catalogue = cameraFiles?.catalogue
        guard let measured = catalogue?.peculiarities(make: make, model: model, format: format?.measuredText) else {
            return shipped
        }
        var all = shipped ?? CameraPeculiarities(match: measured.match)
        all.delays.merge(measured.delays) { $1 }
        return all
    }
}

extension VideoFormat {
    /// As files of cameras write it.
    var settingText: String { "\(pixelFormat.rawValue):\(width)x\(height)" }

    /// As files of measured delays write it, which are those of a frame rate.
    var measuredText: String { "\(settingText) \(frameIntervalNanoseconds)ns" }
}

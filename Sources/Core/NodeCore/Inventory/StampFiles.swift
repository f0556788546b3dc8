import CameraKit
import CaptureEngine
import CaptureModel
import Foundation
import PosixSupport
import RigConfiguration

/// The corrections of cameras' stamps that were measured while an agent ran: a file for each camera, in a folder of the
/// node. A camera whose configuration states a correction has that one, and no file is written for it.
///
/// The correction of stamps by the camera's clock has another name, which versions that know no such stamps of this camera do not read:
/// they would correct others by it. A camera has one correction, so that its file replaces the other one.
actor StampFiles {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private nonisolated let executor: ThreadExecutor
    private let folder: Folder
    private let path: String
    private let devices: [DeviceName: DeviceConfiguration]
    /// As the files were when the agent started.
    private nonisolated let initial: [DeviceName: KeptStamps]

    private static let byteLimit = 4096

    /// Reads the files. One with a mistake counts as absent.
    /// - Parameters:
    ///   - path: The folder; it is created if it is missing.
    ///   - devices: The cameras of the node.
    ///   - executor: The thread that writes.
    init(path: String, devices: [DeviceConfiguration], executor: ThreadExecutor) throws(PosixError) {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        let parent = try Folder(opening: String(path[..<end]))
        let folder = try parent.makeFolder(String(path[end...].drop { $0 == "/" }))
        (self.path, self.executor, self.folder) = (path, executor, folder)
        self.devices = Dictionary(devices.map { ($0.name, $0) }) { first, _ in first }
        var initial: [DeviceName: KeptStamps] = [:]
        for device in devices {
            let ofClock = Self.kept(in: folder, Self.file(device.name, of: .cameraClock))
            initial[device.name] = ofClock ?? Self.kept(in: folder, Self.file(device.name, of: nil))
        }
        self.initial = initial
    }

    /// Returns a camera, closed, with the correction of its configuration; without one, with that of its file, unless the
    /// device names other hardware than then.
    nonisolated func camera(_ device: DeviceConfiguration) throws(CameraError) -> any Camera {
        guard !device.statesCorrection, let kept = initial[device.name], kept.hardware == device.hardware else {
            return try device.makeCamera()
        }
        return try device.makeCamera(correctedBy: kept.correction)
    }

    /// Returns a camera, closed, with another correction of its stamps.
    /// - Throws: Why it cannot have one.
    func camera(_ name: DeviceName, correctedBy correction: StampCorrection) throws(RigProblem) -> any Camera {
        let device = try device(name)
        guard !device.statesCorrection else {
            throw RigProblem(
                .conflict,
                "the configuration of '\(name)' states a correction of its stamps; change it there, or remove latencyOffset, readout, uncertainty, sharedUncertainty, measurement, measuredExposure, measuredFormat, measuredOn and measuredStamps, and restart the agent"
            )
        }
        do throws(CameraError) {
            let camera = try device.makeCamera(correctedBy: correction)
            if camera.stamps?.correction != nil { return camera }
        } catch {
            throw RigProblem(error)
        }
        throw RigProblem(.unsupportedSettings, "the stamps of '\(name)' need no correction")
    }

    /// Stores a correction durably, for the next start of the agent.
    /// - Returns: The path of the file.
    func keep(_ correction: StampCorrection, of name: DeviceName) throws(RigProblem) -> String {
        let file = Self.file(name, of: correction.measuredStamps)
        let other = Self.file(name, of: correction.measuredStamps == .cameraClock ? nil : .cameraClock)
        let content = KeptStamps(hardware: try device(name).hardware, correction)
        do throws(PosixError) {
            try folder.publish([content.encoded], as: file)
        } catch {
            throw RigProblem(.inputOutput, "\(path)/\(file) cannot be written: \(error)")
        }
        do throws(PosixError) {
            // Usually there is none. If it came back with a loss of power, it could be taken for the newer one.
            try folder.remove(other)
            try folder.sync()
        } catch {
            try? folder.remove(file)
            throw RigProblem(.inputOutput, "\(path)/\(other) cannot be removed: \(error)")
        }
        return "\(path)/\(file)"
    }

    private func device(_ name: DeviceName) throws(RigProblem) -> DeviceConfiguration {
        guard let device = devices[name] else {
            throw RigProblem(.unknownDevice, "'\(name)' is not in the configuration of the node")
        }
        return device
    }

    private static func kept(in folder: Folder, _ file: String) -> KeptStamps? {
        try? folder.read(file, limit: byteLimit).keptStamps
    }

    private static func file(_ name: DeviceName, of stamps: StampOrigin?) -> String {
        stamps == .cameraClock ? "\(name).cameraClock.json" : "\(name).json"
    }
}

extension DeviceConfiguration {
    fileprivate var statesCorrection: Bool { stamps != StampCorrection() }

    /// What distinguishes the camera from others: its hardware, or what its source says of itself; nil if neither is known.
    fileprivate var hardware: String? {
        source.configuration.hardware ?? (try? makeCamera())?.identityDescription
    }

    fileprivate func makeCamera(correctedBy correction: StampCorrection) throws(CameraError) -> any Camera {
        var device = self
        device.stamps = correction
        return try device.makeCamera()
    }
}

/// The content of a file.
private struct KeptStamps: Codable {
    /// The camera that was measured.
    var hardware: String?
    private var latencyOffsetNanoseconds: Int64
    private var readoutNanoseconds: Int64
    private var uncertaintyNanoseconds: Int64?
    private var measuredExposureNanoseconds: Int64?
    private var measuredFormat: String?
    private var measuredOn: CalendarDay?
    private var measuredStamps: StampOrigin?
    private var sharedError: SharedError?

    init(hardware: String?, _ correction: StampCorrection) {
        self.hardware = hardware
        latencyOffsetNanoseconds = correction.latencyOffset.nanoseconds
        readoutNanoseconds = correction.readout.nanoseconds
        uncertaintyNanoseconds = correction.uncertainty?.nanoseconds
        measuredExposureNanoseconds = correction.measuredExposure?.nanoseconds
        measuredFormat = correction.measuredFormat
        measuredOn = correction.measuredOn
        measuredStamps = correction.measuredStamps
        sharedError = correction.sharedError
    }

    var correction: StampCorrection {
        StampCorrection(
            latencyOffset: .nanoseconds(latencyOffsetNanoseconds), readout: .nanoseconds(readoutNanoseconds),
            uncertainty: uncertaintyNanoseconds.map { .nanoseconds($0) },
            measuredExposure: measuredExposureNanoseconds.map { .nanoseconds($0) }, measuredFormat: measuredFormat,
            measuredOn: measuredOn, measuredStamps: measuredStamps, sharedError: sharedError)
    }

    /// Whether a configuration could state the correction.
    var isWithinLimits: Bool {
        let second: Int64 = 1_000_000_000
        let durations: [Int64?] = [readoutNanoseconds, uncertaintyNanoseconds, measuredExposureNanoseconds]
        return (-second...second).contains(latencyOffsetNanoseconds)
            && durations.allSatisfy { (0...second).contains($0 ?? 0) } && correction.isConsistent
    }

    var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        // Texts and numbers can always be encoded.
        return (try? encoder.encode(self)).map(Array.init) ?? []
    }

    private enum CodingKeys: String, CodingKey {
        case hardware = "hardware"
        case latencyOffsetNanoseconds = "latencyOffsetNanoseconds"
        case readoutNanoseconds = "readoutNanoseconds"
        case uncertaintyNanoseconds = "uncertaintyNanoseconds"
        case measuredExposureNanoseconds = "measuredExposureNanoseconds"
        case measuredFormat = "measuredFormat"
        case measuredOn = "measuredOn"
        case measuredStamps = "measuredStamps"
        case sharedError = "sharedError"
    }
}

extension [UInt8] {
    /// nil if the bytes are not such a file.
    fileprivate var keptStamps: KeptStamps? {
        let kept = try? JSONDecoder().decode(KeptStamps.self, from: Data(self))
        return kept?.isWithinLimits == true ? kept : nil
    }
}

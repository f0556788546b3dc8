import CaptureModel
import Foundation
import ShotDocuments
import ShotLogic

/// A notice for a client that waits for a shot.
enum ShotNotice: Sendable {
    /// - Parameter answerDue: The latest instant of the answer; nil if there is no limit.
    case progress(ShotProgressReport, Shot, answerDue: LocalTime?)
    /// The last one.
    case answer(AnsweredShot)
    /// The last one.
    case refused(RigProblem)
}

/// The answer to a client about a shot.
struct AnsweredShot: Sendable {
    var shot: Shot
    /// The document from which the shot was read; nil if this process has written its manifest, or could not.
    var manifest: StoredManifest?
    /// Selected devices that were left out when the cameras were chosen; nil also if that is unknown.
    var leftOut: LeftOutDevices?
}

extension Shot {
    /// Returns the settings for each of these cameras. A camera from which no raw file is expected gets settings
    /// without one, regardless of its configuration by then.
    func settings(for devices: [DeviceID]) -> [(settings: PhotoSettings, devices: [DeviceID])] {
        let settings = request.settings
        guard settings.raw == .withPhotoWhereEnabled else { return [(settings, devices)] }
        let expecting = Set(
            captures.lazy.filter { $0.files.contains(where: \.kind.isRaw) }.map(\.device.id))
        var plain = settings
        (plain.raw, plain.rawThumbnail) = (nil, nil)
        let parts = [
            (settings, devices.filter(expecting.contains)), (plain, devices.filter { !expecting.contains($0) }),
        ]
        return parts.filter { !$0.1.isEmpty }
    }
}

/// The local offset from UTC, for dates that people read.
enum UTCOffset {
    /// Minutes east of Greenwich at an instant of `CLOCK_REALTIME`.
    static func minutes(atRealtimeNanoseconds realtime: Int64) -> Int {
        TimeZone.current.secondsFromGMT(for: Date(timeIntervalSince1970: Double(realtime) / 1e9)) / 60
    }
}

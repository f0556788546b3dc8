import CaptureDevices
import CaptureModel
import ImageMetadata

/// Makes the still's file of the chosen frame: the frame's own image data, and metadata in front of it.
struct StillComposer: Sendable {
    /// Written into the EXIF tag Software.
    static let software = "Caprig"

    let device: DeviceDescription
    let hardware: CameraHardware

    /// The bytes of the still.
    /// - Throws: ``CaptureProblem`` of code `corrupted`; frames in a ring are whole, so this is not expected.
    func compose(_ frame: RingFrame, order: CaptureOrder, timing: FrameTiming) throws(CaptureProblem) -> [UInt8] {
        do {
            return try JPEGRewriter.stillBytes(from: frame.jpeg.span, exif: description(order, timing))
        } catch {
            throw CaptureProblem(.corrupted, "\(device.id): the frame cannot become a still: \(error)")
        }
    }

    private func description(_ order: CaptureOrder, _ timing: FrameTiming) -> EXIFDescription {
        EXIFDescription(
            make: device.make ?? hardware.make, model: device.model ?? hardware.model,
            bodySerialNumber: device.serial ?? hardware.serial, imageUniqueID: uniqueID(order.key),
            software: Self.software, imageDescription: "shot \(order.key.shot) camera \(device.id)",
            orientation: EXIFOrientation(rawValue: UInt16(device.orientation.exifValue)) ?? .up,
            originalDate: EXIFTimestamp(
                realtimeNanoseconds: order.realtimeAtTime &+ timing.skewNanoseconds,
                utcOffsetMinutes: order.utcOffsetMinutes),
            exposureTime: timing.exposureNanoseconds.flatMap(EXIFRational.init(secondsFromNanoseconds:)))
    }

    /// 128 bits that are the same whenever this capture's still is made again: the shot's id, with the random half
    /// mixed with the device's name (FNV-1a, 64 bits).
    private func uniqueID(_ key: CaptureKey) -> String {
        let mixed = key.device.description.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0100_0000_01b3
        }
        var bytes = key.shot.bytes
        for index in 8..<16 {
            bytes[index] ^= UInt8(truncatingIfNeeded: mixed >> (8 * UInt64(index - 8)))
        }
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

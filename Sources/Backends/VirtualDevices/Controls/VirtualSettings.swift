import CaptureModel
import Glibc

/// What one frame of a virtual camera is made with: the configuration as its controls leave it.
struct VirtualSettings: Hashable, Sendable {
    /// `exposureMilliseconds` is the exposure in use: under automatic exposure the one that the camera has chosen.
    var configuration: VirtualCameraConfiguration
    /// Factor on the light of the scene: above 1 where the flash LED lights it.
    var illumination: Double

    /// The exposure at which the scene has its own brightness, without gain and LED.
    static let nominalExposureMilliseconds = 8.0

    init(_ configuration: VirtualCameraConfiguration, _ modes: VirtualModes) {
        self.configuration = configuration
        illumination = modes.flash.illumination
        guard modes.isAutoExposure else { return }
        let light = Self.amplification(configuration.gainDecibels) * illumination
        self.configuration.exposureMilliseconds = min(max(Self.nominalExposureMilliseconds / light, 0.01), 10_000)
    }

    /// Brightness of the scene in a frame exposed so long: light gathered, and its amplification.
    func brightness(exposure: Duration) -> Double {
        exposure.seconds * 1000 / Self.nominalExposureMilliseconds * Self.amplification(configuration.gainDecibels)
            * illumination
    }

    /// 20 dB are a factor of ten.
    private static func amplification(_ decibels: Double) -> Double { pow(10, decibels / 20) }
}

/// The settings of a virtual camera that are no keys of its configuration; kept from stream to stream, as hardware does.
struct VirtualModes: Hashable, Sendable {
    /// Whether the camera chooses the exposure for a scene of normal brightness.
    var isAutoExposure = false
    var flash = Flash.none

    /// `V4L2_CID_FLASH_LED_MODE`. The sensor fires the flash, so in either mode every exposure is lit.
    enum Flash: Int64, Hashable, Sendable, CaseIterable {
        case none = 0
        case flash = 1
        case torch = 2

        var illumination: Double {
            switch self {
            case .none: 1
            case .flash: 2
            case .torch: 1.5
            }
        }

        var name: String {
            switch self {
            case .none: "Off"
            case .flash: "Flash"
            case .torch: "Torch"
            }
        }
    }
}

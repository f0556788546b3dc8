import CaptureModel

/// Why pictures of a screen do not tell how late a camera's stamps are.
public enum ScreenTimingProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case tooFewPictures(Int)
    /// No part of the pictures becomes darker and brighter.
    case screenNotSeen
    case tooDark
    case tooBright
    /// Parts of the pictures become darker and brighter, but not as the screen does.
    case otherScreen
    /// Two delays explain the pictures nearly as well.
    case ambiguous
    case tooFewSwitches(Int)
    case exposureChanged(from: Duration, to: Duration)

    public var description: String {
        switch self {
        case .tooFewPictures(let count):
            "only \(count) pictures came, and \(ScreenTimingEstimator.neededPictures) are needed; measure for longer, or see why the camera is slow: `capctl devices`"
        case .screenNotSeen:
            "no part of its pictures becomes dark and bright: point the camera at the screen, nearer, and see that the screen switches"
        case .tooDark:
            "its pictures are dark even when the screen is white: brighten the screen, or raise exposure or gain"
        case .tooBright:
            "its pictures are white even when the screen is black: lower exposure or gain, or darken the room"
        case .otherScreen:
            "its pictures become dark and bright, but not as the screen does: see that the screen shows the same sequence, that nothing else flickers, and that the camera exposes manually"
        case .ambiguous:
            "two delays explain its pictures nearly as well: see that the screen shows the sequence of this run (`--seed`, or the file of its page), and measure for longer"
        case .tooFewSwitches(let count):
            "only \(count) switches of the screen were seen, and \(ScreenTimingEstimator.neededSwitches) are needed: measure for longer"
        case .exposureChanged(let from, let to):
            "its exposure time changed during the measurement, from \(from.text) to \(to.text): set it, such as with `capctl settings set exposure=8ms`"
        }
    }
}

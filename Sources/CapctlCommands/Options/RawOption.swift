import ArgumentParser
import CaptureModel

/// Which raw files are asked for, as flags.
enum RawOption: EnumerableFlag {
    case raw, rawAndJPEG

    static func name(for value: Self) -> NameSpecification {
        switch value {
        case .raw: .customLong("raw")
        case .rawAndJPEG: .customLong("raw+jpeg")
        }
    }

    var photo: RawPhoto {
        switch self {
        case .raw: .only
        case .rawAndJPEG: .withPhoto
        }
    }
}

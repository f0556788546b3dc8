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

    /// - Parameter isRequired: Whether a camera without RAW is refused, also where it could take the photo alone.
    func photo(isRequired: Bool) -> RawPhoto {
        switch self {
        case .raw: .only
        case .rawAndJPEG: isRequired ? .withPhoto : .withPhotoWhereEnabled
        }
    }
}

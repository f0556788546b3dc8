/// The configuration of one device under the key of its backend.
///
/// Each backend defines its type and keys. This module knows none of them.
public protocol SourceConfiguration: Hashable, Sendable {
    /// The key below `source`, which is the backend's name, such as `v4l2`.
    static var key: String { get }

    /// Reads the value of the key; nil, with a reported problem, if it is wrong.
    ///
    /// ``YAMLMapping/finish()`` reports unknown keys of a mapping.
    init?(_ value: YAMLValue)

    /// The value of the key in a form that is read as an equal value.
    var written: WrittenValue { get }

    /// A text that identifies the hardware and differs for different hardware; nil if several devices may have equal sources.
    ///
    /// Two enabled devices of a node may not use the same hardware.
    var hardware: String? { get }
}

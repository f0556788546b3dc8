internal import ArgumentParser

/// The output format of data.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// Aligned columns for people that fit the terminal; may change between versions.
    case table
    /// The table with everything, however wide.
    case wide
    /// JSON for programs; stable as `docs/capctl.md` describes it.
    case json
    /// The ids or names of what is listed, one on a line.
    case name

    /// Whether the text is for people.
    var isForPeople: Bool { self == .table || self == .wide }
}

internal import ArgumentParser

/// How data is printed.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// Aligned columns for people; may change between versions.
    case table
    /// JSON for programs; stable as `docs/capctl.md` describes it.
    case json
}

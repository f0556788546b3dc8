/// What a demo is to do.
struct DemoSettings: Equatable {
    var plan: DemoPlan
    /// Absolute.
    var library: String
    var programs: DaemonPrograms
    var usesTimeNamespaces: Bool
    var logLevel: String
}

import PosixSupport

/// What the kernel says of the machine at one moment; nil and empty where it says nothing.
struct PressureReading: Hashable, Sendable {
    var cpu: StallInformation?
    var memory: StallInformation?
    var io: StallInformation?
    var zones: [ThermalZone] = []

    /// Where the kernel says it; another tree for tests.
    struct Source: Hashable, Sendable {
        var stalls = "/proc/pressure"
        var zones = "/sys/class/thermal"

        /// Reads everything; sensors may take some milliseconds.
        func read() -> PressureReading {
            PressureReading(
                cpu: .read("cpu", in: stalls), memory: .read("memory", in: stalls), io: .read("io", in: stalls),
                zones: ThermalZone.all(in: zones))
        }
    }

    /// What is missing: a sentence for people; nil where nothing is.
    var gap: String? {
        let hasStalls = cpu != nil || memory != nil || io != nil
        let hasTrips = zones.contains { !$0.tripPoints.isEmpty }
        switch (hasStalls, hasTrips) {
        case (true, true): return nil
        case (true, false): return "no thermal zone with trip points in /sys/class/thermal: heat is not seen"
        case (false, true): return "no /proc/pressure (CONFIG_PSI, boot option psi=1): load is not seen"
        case (false, false):
            return "neither /proc/pressure (CONFIG_PSI, boot option psi=1) nor thermal zones with trip points"
        }
    }

    /// Whether there is anything to judge by.
    var isEmpty: Bool { cpu == nil && memory == nil && io == nil && !zones.contains { !$0.tripPoints.isEmpty } }
}

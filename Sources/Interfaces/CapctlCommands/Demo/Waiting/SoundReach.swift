internal import CaptureModel

/// How far back the sound of each microphone reaches without a gap, by the counters that its node reports.
///
/// A node reports how many frames of sound have reached the ring, and how many were lost. All frames after the last
/// loss are one stretch of sound, if the microphone has been running since.
struct SoundReach {
    /// The counters when the stretch began, at the latest.
    private struct Beginning {
        var delivered: UInt64
        var lost: UInt64
    }

    private var beginnings: [DeviceID: Beginning] = [:]

    /// Takes the newest report of a microphone.
    /// - Returns: The reach at the time of the report, at least.
    mutating func update(_ status: DeviceStatus, sampleRate: Int) -> Duration {
        let counters = status.condition.counters
        let lost = counters.droppedByDevice &+ counters.droppedByNode &+ counters.stalls
        let known = beginnings[status.device.id]
        let hasBegun = known.map { $0.lost == lost && $0.delivered <= counters.delivered } ?? (lost == 0)
        guard status.condition.isUsable, hasBegun else {
            beginnings[status.device.id] = Beginning(delivered: counters.delivered, lost: lost)
            return .zero
        }
        let beginning = known ?? Beginning(delivered: 0, lost: 0)
        beginnings[status.device.id] = beginning
        return .seconds(Double(counters.delivered - beginning.delivered) / Double(max(sampleRate, 1)))
    }
}

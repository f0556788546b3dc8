import CaptureModel

/// The alarms of tasks that wait for a change. A value.
struct AlarmList: Sendable {
    private var alarms: [UInt64: Alarm] = [:]
    private var last: UInt64 = 0

    var count: Int { alarms.count }

    /// - Returns: The number under which the alarm is removed.
    mutating func add(_ alarm: Alarm) -> UInt64 {
        last += 1
        alarms[last] = alarm
        return last
    }

    mutating func remove(_ number: UInt64) { alarms[number] = nil }

    /// Wakes all tasks.
    func ring() {
        for alarm in alarms.values { alarm.ring() }
    }
}

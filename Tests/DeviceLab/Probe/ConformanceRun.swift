import CameraConformance
import CameraKit
import CaptureModel
import Glibc
import SystemClock
import V4L2Camera

/// Runs the suite that every camera must pass against a device, one check after another, a line each.
struct ConformanceRun {
    private let suite: CameraConformance
    private let limit: Duration
    private let clock = SystemTimeSource()

    init(_ options: ProbeOptions) {
        let (identity, other, driverFormat) = (options.identity, options.other, options.driverFormat)
        limit = .seconds(options.limit)
        let makeOther = other.map { other in
            { @Sendable () -> any Camera in V4L2Camera(name: "other", identity: other) }
        }
        suite = CameraConformance(
            request: options.request, clock: clock,
            makeCamera: { V4L2Camera(name: "probe", identity: identity, driverFormat: driverFormat) },
            makeOther: makeOther)
    }

    /// Whether every check has passed. A check that does not end in time ends the process, since the camera is held.
    func run() async throws -> Bool {
        var hasPassed = true
        for check in suite.checks {
            let failure = try await run(check)
            hasPassed = hasPassed && failure == nil
        }
        return hasPassed
    }

    private func run(_ check: ConformanceCheck) async throws -> ConformanceFailure? {
        let start = clock.now()
        // Unstructured: it ends the process where the check, which may not notice a cancellation, does not end.
        let watchdog = Task { try await endProcess(after: limit, at: check) }
        defer { watchdog.cancel() }
        var failure: ConformanceFailure?
        do throws(ConformanceFailure) {
            try await suite.run(check)
        } catch {
            failure = error
        }
        var line = ProbeLine("check")
        line.check = check.rawValue
        line.hasPassed = failure == nil
        line.reason = failure?.description
        line.nanoseconds = (clock.now() - start).nanoseconds
        try line.write()
        return failure
    }

    private func endProcess(after limit: Duration, at check: ConformanceCheck) async throws {
        try await clock.sleep(for: limit)
        var line = ProbeLine("check")
        line.check = check.rawValue
        line.hasPassed = false
        line.reason = "\(check): it did not end within \(limit)"
        try line.write()
        exit(1)
    }
}

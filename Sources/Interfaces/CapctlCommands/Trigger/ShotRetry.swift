internal import CaptureModel
internal import RigClient

/// Takes shots until the pictures of one keep its limits, a second apart and ``attempts`` at most. Each is in the library, and says in its
/// manifest what exceeds a limit.
struct ShotRetry {
    static let attempts = 3
    static let pause = Duration.seconds(1)

    var time: any TimeSource
    var console: Console

    /// - Parameters:
    ///   - request: The first shot.
    ///   - take: Takes a shot.
    /// - Returns: The last shot.
    /// - Throws: What `take` throws, at once unless the shot was refused because of its limits.
    func run(
        _ request: TriggerRequest, take: (TriggerRequest) async throws -> LocatedShot
    ) async throws -> LocatedShot {
        var request = request
        for attempt in 1..<Self.attempts {
            do {
                let document = try await take(request)
                guard document.shot.captures.contains(where: { !$0.exceeds.isEmpty }) else { return document }
                say("shot \(request.shot) exceeds its limits, and says so in its manifest", attempt)
            } catch let error as RigClientError where error.code == .refused(RigProblem.Code.limitsExceeded.rawValue) {
                say(error.description, attempt)
            }
            try await time.sleep(for: Self.pause)
            request.shot = .fresh(at: time)
        }
        return try await take(request)
    }

    private func say(_ reason: String, _ attempt: Int) {
        console.endProgress()
        console.note("capctl: \(reason); attempt \(attempt + 1) of \(Self.attempts) follows\n")
    }
}

import CaptureModel

/// Tells from samples of a scene, a few a second, when it has become another one. A value without clock and camera.
///
/// The table is in `docs/design/photo.md`. Which of the changes are told, and which are only counted, ``SceneChangeLimit``
/// decides.
struct SceneChangeDetector: Hashable, Sendable {
    /// Part of the threshold below which a sample is near.
    private static let nearness = 0.75
    private static let followingShare = 1.0 / 8
    private static let steadyShare = 1.0 / 16

    private enum State: Hashable, Sendable {
        case following(near: Int)
        case steady(far: Int)
    }

    let settings: SceneChangeSettings
    private var reference: SceneGrid?
    private var state = State.following(near: 0)
    private var limit = SceneChangeLimit()

    init(_ settings: SceneChangeSettings) {
        self.settings = settings
    }

    /// Forgets the scene, as where the camera has been closed: what it shows next is not compared with it, and what was
    /// not told yet may be of another camera.
    mutating func forget() {
        limit.forgetWaiting()
        reference = nil
        state = .following(near: 0)
    }

    /// Takes the next sample.
    /// - Parameter time: Its mid-exposure.
    /// - Returns: What is to be told.
    mutating func take(_ sample: SceneGrid, at time: LocalTime) -> SceneChange? {
        let difference = reference.map(sample.difference(from:)) ?? 0
        let hasChanged = follow(sample, difference)
        let change = SceneChange(
            time: time, difference: Int(difference.rounded()), luma: Int(sample.mean.rounded()))
        return limit.pass(hasChanged ? change : nil, at: time)
    }

    /// - Returns: Whether the scene is another one.
    private mutating func follow(_ sample: SceneGrid, _ difference: Double) -> Bool {
        guard reference != nil else {
            reference = sample
            return false
        }
        switch state {
        case .following(let near):
            let isNear = difference < Double(settings.threshold) * Self.nearness
            state = isNear && near > 0 ? .steady(far: 0) : .following(near: isNear ? 1 : 0)
            reference?.approach(sample, by: Self.followingShare)
        case .steady where difference < Double(settings.threshold):
            state = .steady(far: 0)
            reference?.approach(sample, by: Self.steadyShare)
        case .steady(far: 0):
            state = .steady(far: 1)
        case .steady:
            (state, reference) = (.following(near: 0), sample)
            return true
        }
        return false
    }
}

internal import CaptureModel
internal import RigMatching

/// The part of the picture that is measured, in a body.
struct MatchTarget: Decodable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    /// - Throws: ``GatewayProblem``.
    var region: PictureRegion {
        get throws {
            guard let region = PictureRegion(x: x, y: y, width: width, height: height) else {
                throw GatewayProblem.member(
                    "target", "must be a part of the picture in shares from the top left, such as 0.4, 0.4, 0.2, 0.2")
            }
            return region
        }
    }
}

/// The body of `POST /settings/match`. docs/api/README.md describes it.
struct MatchBody: Decodable, ValidatedDocument {
    var id: MatchRunID?
    var selection: Selection
    var reference: DeviceID?
    var card: ColorMean?
    var grayWorld: Bool?
    var target: MatchTarget?
    var tolerance: Double?
    var frames: Int?

    func validate() throws(InvalidDocument) { try check(selection, "selection") }

    /// - Throws: ``GatewayProblem``.
    var order: MatchOrder {
        get throws {
            let isWhole = grayWorld ?? false
            guard reference != nil || card != nil || isWhole else {
                throw GatewayProblem.member("reference", "say what to match: reference, card or grayWorld")
            }
            guard !isWhole || (card == nil && target == nil) else {
                throw GatewayProblem.member(
                    "grayWorld", "it measures the whole picture as gray; leave target and card out")
            }
            guard card?.channels.allSatisfy(MatchRequest.cardRange.contains) ?? true else {
                throw GatewayProblem.member("card", "red, green and blue must be 0.01 to 1, in linear sRGB")
            }
            let card = card ?? (isWhole ? MatchRequest.gray : nil)
            let goal: MatchRequest.Goal =
                reference.map { .reference($0, card: card) } ?? .card(card ?? MatchRequest.gray)
            var order = try MatchOrder(selection, goal, target, tolerance, frames)
            if isWhole { order.request.region = .whole }
            return order
        }
    }
}

/// The body of `POST /settings/lock`.
struct LockBody: Decodable, ValidatedDocument {
    var id: MatchRunID?
    var selection: Selection
    var target: MatchTarget?
    var tolerance: Double?
    var frames: Int?
    /// Nanoseconds, as decimal text.
    var timeout: String?

    func validate() throws(InvalidDocument) { try check(selection, "selection") }

    /// - Throws: ``GatewayProblem``.
    var order: MatchOrder {
        get throws {
            let allowed = MatchRequest.steadyLimits
            let nanoseconds = timeout.map { Int64(decimal: $0) } ?? MatchRequest.usualSteadyLimit.nanoseconds
            guard let nanoseconds, allowed.contains(.nanoseconds(nanoseconds)) else {
                throw GatewayProblem.member(
                    "timeout",
                    "must be \(allowed.lowerBound.nanoseconds) to \(allowed.upperBound.nanoseconds), as decimal text"
                )
            }
            return try MatchOrder(
                selection, .locked(within: .nanoseconds(nanoseconds)), target, tolerance, frames)
        }
    }
}

extension MatchOrder {
    /// - Throws: ``GatewayProblem``.
    fileprivate init(
        _ selection: Selection, _ goal: MatchRequest.Goal, _ target: MatchTarget?, _ tolerance: Double?,
        _ frames: Int?
    ) throws {
        var request = MatchRequest(goal)
        if let target { request.region = try target.region }
        if let tolerance {
            guard MatchRequest.tolerances.contains(tolerance) else {
                throw GatewayProblem.member("tolerance", "must be a part of 0.001 to 0.5")
            }
            request.tolerance = tolerance
        }
        if let frames {
            guard (1...MeasureRequest.frameLimit).contains(frames) else {
                throw GatewayProblem.member("frames", "must be 1 to \(MeasureRequest.frameLimit)")
            }
            request.frames = frames
        }
        self.init(selection: selection, request: request)
    }
}

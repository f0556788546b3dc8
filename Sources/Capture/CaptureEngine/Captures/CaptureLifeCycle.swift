import CaptureModel

/// The life of one capture: facts in, steps to tell out, each at most once and in their order, whatever happens.
///
/// | fact | planned | begun | capturing | captured | ended |
/// |---|---|---|---|---|---|
/// | armed | willBeginCapture → begun | – | – | – | – |
/// | fired | – | willCapturePhoto → capturing | – | – | – |
/// | frameChosen | – | – | didCapturePhoto → captured | – | – |
/// | previewMade | – | – | – | previewAvailable, once, and before every didFinishProcessingPhoto | – |
/// | fileStored | – | – | – | didFinishProcessingPhoto, once for each kind | – |
/// | movieRecorded | – | – | – | didFinishRecordingLivePhotoMovie, once | – |
/// | movieStored | – | – | – | didFinishProcessingLivePhotoMovie, once, and after movieRecorded | – |
/// | ended | – | didFinishCapture → ended | the same | the same | – |
///
/// `–` tells nothing and changes nothing.
struct CaptureLifeCycle: Hashable, Sendable {
    /// What has happened to the capture.
    enum Fact: Hashable, Sendable {
        case armed(ResolvedPhotoSettings)
        case fired
        case frameChosen(FrameTiming)
        case previewMade(PreviewPhoto)
        case fileStored(SpooledFile)
        case movieRecorded
        case movieStored(LivePhotoMovieFile)
        case ended(CaptureProblem?)
    }

    private enum Stage: Hashable {
        case planned, begun, capturing, captured, ended
    }

    /// No life has more steps: the seven that come once, and one for each kind of file.
    static let stepLimit = 7 + AssetKind.allCases.count

    private var stage = Stage.planned
    private var hasPreview = false
    private var processed: Set<AssetKind> = []
    private var hasMovie = false
    private var hasMovieFile = false

    mutating func handle(_ fact: Fact) -> [LifeCycleStep] {
        switch (fact, stage) {
        case (.armed(let resolved), .planned):
            stage = .begun
            return [.willBeginCapture(resolved)]
        case (.fired, .begun):
            stage = .capturing
            return [.willCapturePhoto]
        case (.frameChosen(let timing), .capturing):
            stage = .captured
            return [.didCapturePhoto(timing)]
        case (.previewMade(let preview), .captured) where !hasPreview && processed.isEmpty:
            hasPreview = true
            return [.previewAvailable(preview)]
        case (.fileStored(let file), .captured):
            return processed.insert(file.kind).inserted ? [.didFinishProcessingPhoto(file)] : []
        case (.movieRecorded, .captured) where !hasMovie:
            hasMovie = true
            return [.didFinishRecordingLivePhotoMovie]
        case (.movieStored(let file), .captured) where hasMovie && !hasMovieFile:
            hasMovieFile = true
            return [.didFinishProcessingLivePhotoMovie(file)]
        case (.ended(let problem), .begun), (.ended(let problem), .capturing), (.ended(let problem), .captured):
            stage = .ended
            return [.didFinishCapture(problem)]
        default:
            return []
        }
    }
}

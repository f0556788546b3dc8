/// What the timestamps of a camera's pictures are, before they are corrected.
public enum StampOrigin: String, Hashable, Codable, Sendable, CaseIterable {
    /// A driver's, of the beginning of the exposure.
    case startOfExposure
    /// A driver's, of the last pixel's arrival.
    case endOfFrame
    /// A driver's. What it means shows when the camera streams.
    case driver
    /// The arrival of the picture: nobody says when it was exposed.
    case arrival
    /// A program's, which says when the exposure began.
    case program
    /// The camera's clock, placed on the node's.
    case cameraClock
    /// Between the request for a picture and the announcement of its file.
    case request
    /// Before the announcement of the file: a trigger that the node does not see has exposed it.
    case announcement
    /// Those of a simulation, which are exact.
    case simulated
    /// Those of a recording, which stand for an exposure.
    case recorded

    /// For people: completes "its stamps are …".
    public var text: String {
        switch self {
        case .startOfExposure: "the driver's, of the start of exposure"
        case .endOfFrame: "the driver's, of the end of the frame"
        case .driver: "the driver's; what they mean shows when it streams"
        case .arrival: "the times at which pictures arrive"
        case .program: "its program's, of the start of exposure"
        case .cameraClock: "the camera's clock, placed on the node's"
        case .request: "between the request and the announcement of the file"
        case .announcement: "before the announcement of the file"
        case .simulated: "simulated"
        case .recorded: "those of a recording"
        }
    }
}

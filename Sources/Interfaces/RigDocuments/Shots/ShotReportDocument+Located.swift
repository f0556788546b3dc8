public import RigClient

extension ShotReportDocument {
    /// A shot as the coordinator has answered.
    public init(_ located: LocatedShot) {
        self.init(
            located.shot, folder: located.library + "/" + located.folder, annotation: located.annotation,
            leftOut: located.leftOut)
    }
}

/// An instant of the rig's time line.
public typealias RigTime = TimePoint<RigTimeBase>

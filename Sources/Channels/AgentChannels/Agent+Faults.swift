import CaptureEngine
public import FaultPoints
import Journal
import Movies
import NodeCore
import Recording
import Spool

extension Agent {
    /// Every point at which a test can make an agent fail.
    public static let faultPoints = FaultCatalogue([
        ClockSendFault.self, ClockWaitFault.self, CollectSendFault.self, CollectWaitFault.self, ControlSendFault.self,
        ControlWaitFault.self, FramesSendFault.self, FramesWaitFault.self, JournalFault.self, JournalFileFault.self,
        MemberFault.self, DeferredFault.self, DeferredFileFault.self, EncoderFault.self, MovieFault.self,
        RecordingFault.self, RecordingFileFault.self, SessionFault.self, SpoolFault.self, SpoolFileFault.self,
    ])
}

public import FaultPoints
import FolderStore
import RigCore
import StorageKit

extension Coordinator {
    /// Every point at which a test can make a coordinator fail.
    public static let faultPoints = FaultCatalogue([
        ClientSendFault.self, ClientWaitFault.self, ClockSendFault.self, CollectSendFault.self, CollectWaitFault.self,
        ControlSendFault.self, ControlWaitFault.self, FeedFileFault.self, FeedSendFault.self, FeedWaitFault.self,
        LibraryFault.self, LibraryFileFault.self, RigFault.self, RosterFault.self, RosterFileFault.self, TakeFault.self,
    ])
}
